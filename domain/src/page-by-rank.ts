import { offsetOf, type Page, type SnippetQuery } from './page.js'
import type { Seek } from './position.js'

/** The matches of a filter, in the order of a query. Ranks count from 0. */
type Ranked<A> = Readonly<{
  count: number
  /** How many come before a position; for the page after it, together with one that is right there. */
  rankOf: (seek: Seek) => number
  /** Those from one rank to the one before another. */
  read: (from: number, to: number) => readonly A[]
}>

export const pageByRank = <A>(
  { window, seek }: Pick<SnippetQuery, 'window' | 'seek'>,
  { count, rankOf, read }: Ranked<A>,
): Page<A> => {
  const { size } = window
  if (seek === undefined)
    return { count, items: read(Math.min(count, offsetOf(window)), Math.min(count, offsetOf(window) + size)) }
  const rank = Math.min(Math.max(rankOf(seek), 0), count)
  if (seek.side === 'before') return { count, items: read(Math.max(0, rank - size), rank), hasMore: rank > size }
  return { count, items: read(rank, Math.min(count, rank + size)), hasMore: rank + size < count }
}

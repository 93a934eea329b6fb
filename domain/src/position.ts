import type { Id } from './id.js'
import { idDirectionOf, type Order, offsetOf, type Page, type SnippetQuery } from './page.js'
import type { Instant } from './snippet.js'
import { compareText } from './text.js'

/** A place in an order: the values of the fields that it sorts by, and an id. The row that it was taken from may be gone. */
export type Position = Readonly<{ id: Id; created_at?: Instant; title?: string }>

export type Side = 'after' | 'before'

/** The page that begins right after a position, or the one that ends right before it. */
export type Seek = Readonly<{ side: Side; position: Position }>

/** Compares places in an order: less than 0 when the first comes first. */
export const compareBy =
  (orders: readonly Order[]) =>
  (a: Position, b: Position): number => {
    for (const { field, direction } of orders) {
      const order =
        field === 'title' ? compareText(a.title ?? '', b.title ?? '') : (a.created_at ?? 0) - (b.created_at ?? 0)
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    if (a.id === b.id) return 0
    return a.id < b.id === (idDirectionOf(orders) === 'asc') ? -1 : 1
  }

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

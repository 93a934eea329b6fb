import type { Page, Window } from '@snippets/domain/page.js'
import type { Seek, Side } from '@snippets/domain/position.js'

/** What a query says of the page that it wants. */
export type Paged = Readonly<{ window: Window; seek?: Seek }>

/** Another page of the same query, which begins or ends at its cursor if it has one. */
export type Neighbour = Readonly<{ page: number; side: Side; cursor: string | undefined }>

/** The pages before and after. */
export type Neighbours = Readonly<{ next: Neighbour | undefined; previous: Neighbour | undefined }>

export const neighboursOf = <A>(
  { window, seek }: Paged,
  { count, items, hasMore = false }: Page<A>,
  cursorOf: (item: A) => string | undefined,
): Neighbours => {
  const { page } = window
  const last = Math.max(1, Math.ceil(count / window.size))
  const hasNext = seek === undefined ? page < last : seek.side === 'before' || hasMore
  const hasPrevious = seek === undefined ? page > 1 : seek.side === 'after' || hasMore
  // nothing comes before a position whose page is empty, so the page after that one is the first
  const following = seek !== undefined && items.length === 0 ? 1 : page + 1
  // from past the end it leads to the last page, not to another empty one
  const preceding = Math.max(1, Math.min(page - 1, last))
  const beside = (page: number, side: Side, item: A | undefined): Neighbour => ({
    page,
    side,
    cursor: item && cursorOf(item),
  })
  return {
    next: hasNext ? beside(following, 'after', items.at(-1)) : undefined,
    previous: hasPrevious ? beside(preceding, 'before', items[0]) : undefined,
  }
}

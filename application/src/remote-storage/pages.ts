import { type Count, type CursorPage, type NumberedPage, offsetOf, type Window } from '@snippets/domain/queries/page.js'
import type { Side } from '@snippets/domain/queries/position.js'
import type { DatabaseRow, DecodeRows } from './decode-rows.js'

/** The rows of a page. One row more than fits shows that another page follows. */
type PageRows<Item> = Readonly<{ window: Window; rows: readonly DatabaseRow[]; decodeRows: DecodeRows<Item> }>

/** Creates a numbered page from the rows at its offset. Calls `countMatches` only if the rows do not show the count. */
export const numberedPage = async <Item>(
  { window, rows, decodeRows }: PageRows<Item>,
  countMatches: () => Promise<Count>,
): Promise<NumberedPage<Item>> => {
  const skip = offsetOf(window)
  const seen = skip + rows.length
  const isLast = rows.length <= window.size && (rows.length > 0 || skip === 0)
  const counted: Count = isLast ? { count: seen } : await countMatches()
  // the count may be a lower bound of 0, and rows may have been written between the two reads
  const count = rows.length === 0 ? Math.min(counted.count, skip) : Math.max(counted.count, seen)
  return { ...counted, count, items: decodeRows(rows.slice(0, window.size)) }
}

/** Creates a page from the rows on one side of a position, the nearest first. */
export const cursorPage = <Item>(
  { window, rows, decodeRows }: PageRows<Item>,
  side: Side,
  counted: Count,
): CursorPage<Item> => {
  const shown = rows.slice(0, window.size)
  const items = decodeRows(side === 'before' ? shown.reverse() : shown)
  return { ...counted, count: Math.max(counted.count, rows.length), items, hasMore: rows.length > window.size }
}

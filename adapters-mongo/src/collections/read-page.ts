import type { DecodeRows } from '@snippets/application/remote-storage/decode-rows.js'
import { type Count, type CursorPage, type NumberedPage, offsetOf, type Window } from '@snippets/domain/queries/page.js'
import type { Side } from '@snippets/domain/queries/position.js'
import type { Document, Filter } from 'mongodb'
import { type CountRequest, countMatches } from './count-matches.js'
import { rowsMs } from './time-limits.js'

export type Sort = Readonly<Record<string, 1 | -1>>

type PageRequest<D extends Document, Item> = CountRequest<D> &
  Readonly<{ sort: Sort; window: Window; decodeRows: DecodeRows<Item> }>

/**
 * Reads one row more than the page shows, to learn whether more follow. The batch size exceeds the limit, so that the
 * database closes the cursor with its first reply.
 */
const rowOptions = (sort: Sort, size: number) => ({ sort, limit: size + 1, batchSize: size + 2, maxTimeMS: rowsMs })

export const readNumberedPage = async <D extends Document, Item>(
  request: PageRequest<D, Item>,
): Promise<NumberedPage<Item>> => {
  const { collection, filter, sort, window, decodeRows } = request
  const { size } = window
  const skip = offsetOf(window)
  const documents = await collection.find(filter, { ...rowOptions(sort, size), skip }).toArray()
  const { length } = documents
  const seen = skip + length
  const isLast = length <= size && (length > 0 || skip === 0)
  const counted: Count = isLast ? { count: seen } : await countMatches(request)
  // the count may be a lower bound of 0, and rows may have been written between the two reads
  const count = length === 0 ? Math.min(counted.count, skip) : Math.max(counted.count, seen)
  return { ...counted, count, items: decodeRows(documents.slice(0, size)) }
}

/** Reads the page beside a position. `sideFilter` selects the matches on that side, `sort` puts the nearest first. */
export const readCursorPage = async <D extends Document, Item>(
  request: PageRequest<D, Item> & Readonly<{ side: Side; sideFilter: Filter<D> }>,
): Promise<CursorPage<Item>> => {
  const { collection, sort, window, decodeRows, side, sideFilter } = request
  const { size } = window
  const [documents, counted] = await Promise.all([
    collection.find(sideFilter, rowOptions(sort, size)).toArray(),
    countMatches(request),
  ])
  const { length } = documents
  const shown = documents.slice(0, size)
  const items = decodeRows(side === 'before' ? shown.reverse() : shown)
  return { ...counted, count: Math.max(counted.count, length), items, hasMore: length > size }
}

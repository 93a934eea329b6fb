import type { DecodeRows } from '@snippets/application/remote-storage/decode-rows.js'
import { cursorPage, numberedPage } from '@snippets/application/remote-storage/pages.js'
import { type CursorPage, type NumberedPage, offsetOf, type Window } from '@snippets/domain/queries/page.js'
import type { Side } from '@snippets/domain/queries/position.js'
import type { Document, Filter } from 'mongodb'
import { type CountRequest, countMatches } from './count-matches.js'
import { rowsMs } from './time-limits.js'

export type Sort = Readonly<Record<string, 1 | -1>>

type PageRequest<D extends Document, Item> = CountRequest<D> &
  Readonly<{ sort: Sort; window: Window; decodeRows: DecodeRows<Item> }>

/**
 * Reads one row more than the page shows. That row tells whether another page follows. The batch size exceeds the
 * limit, so that the database closes the cursor with its first reply.
 */
const rowOptions = (sort: Sort, size: number) => ({ sort, limit: size + 1, batchSize: size + 2, maxTimeMS: rowsMs })

export const readNumberedPage = async <D extends Document, Item>(
  request: PageRequest<D, Item>,
): Promise<NumberedPage<Item>> => {
  const { collection, filter, sort, window, decodeRows } = request
  const options = { ...rowOptions(sort, window.size), skip: offsetOf(window) }
  const rows = await collection.find(filter, options).toArray()
  return numberedPage({ window, rows, decodeRows }, () => countMatches(request))
}

/** Reads the page beside a position. `sideFilter` selects the matches on that side, `sort` puts the nearest first. */
export const readCursorPage = async <D extends Document, Item>(
  request: PageRequest<D, Item> & Readonly<{ side: Side; sideFilter: Filter<D> }>,
): Promise<CursorPage<Item>> => {
  const { collection, sort, window, decodeRows, side, sideFilter } = request
  const [rows, counted] = await Promise.all([
    collection.find(sideFilter, rowOptions(sort, window.size)).toArray(),
    countMatches(request),
  ])
  return cursorPage({ window, rows, decodeRows }, side, counted)
}

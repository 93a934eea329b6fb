import { type Count, maxPageSize, offsetOf, type Page, type Window } from '@snippets/domain/queries/page.js'
import type { Side } from '@snippets/domain/queries/position.js'
import type { WithSlot } from '@snippets/remote-storage/queue.js'
import type { Collection, Document, Filter as MongoFilter } from 'mongodb'
import { isAnsweredError, isMaxTimeExpired } from '../connection/server-errors.js'
import { countMs, estimateMs, maxCountWaitMs, rowsMs } from '../connection/timeouts.js'
import { asRaw, type RawRow } from './raw-rows.js'

/** The count of an unfiltered collection of this size or more is estimated, because counting reads its whole index. */
const minEstimatedSize = 10_000

/** A count with a filter ends here, because it reads the key of each match. */
const maxCounted = 100_000

export type Sort = Readonly<Record<string, 1 | -1>>

export type PageRequest<D extends Document, Item> = Readonly<{
  collection: Collection<D>
  filter: MongoFilter<D>
  sort: Sort
  window: Window
  decodeRows: (rows: readonly RawRow[]) => readonly Item[]
  /** Called with an error of the database when it counts. */
  onCountFailure: (cause: unknown) => void
  /** The queue for a count with a filter. Without it, the count runs at once. */
  queueCount?: WithSlot
}>

/** Reads the rows of a page number, then their count. Other writes may come between, so the rows bound the count. */
export const readNumberedPage = async <D extends Document, Item>(
  request: PageRequest<D, Item>,
): Promise<Page<Item>> => {
  const { filter, window, decodeRows } = request
  const skip = offsetOf(window)
  const rows = await readRows(request, filter, skip, window.size)
  const seen = skip + rows.length
  // the page is past the end
  if (rows.length === 0 && skip > 0) {
    const counted = await countMatches(request, 0)
    return { ...counted, count: Math.min(counted.count, skip), items: [], hasMore: false }
  }
  const hasMore = rows.length > window.size
  const counted: Count = hasMore ? await countMatches(request, seen) : { count: seen }
  return { ...counted, items: decodeRows(rows.slice(0, window.size)), hasMore }
}

/**
 * Reads the page beside a position. `rowFilter` selects the matches on that side, `sort` puts the nearest first. Skips
 * rows while all of them are malformed, because an empty page has no cursor for the next one. Then reads many rows at a
 * time, so that a long run of malformed rows ends before the deadline.
 */
export const readCursorPage = async <D extends Document, Item>(
  request: PageRequest<D, Item> & Readonly<{ signal: AbortSignal; side: Side; rowFilter: MongoFilter<D> }>,
): Promise<Page<Item>> => {
  const { signal, window, decodeRows, side, rowFilter } = request
  for (let skipped = 0, size = window.size; ; skipped += size, size = maxPageSize) {
    const rows = await readRows(request, rowFilter, skipped, size)
    const decoded = decodeRows(rows.slice(0, size))
    const hasMore = rows.length > size || decoded.length > window.size
    if (decoded.length === 0 && hasMore) {
      signal.throwIfAborted()
      continue
    }
    const items = decoded.slice(0, window.size)
    const counted = await countMatches(request, skipped + rows.length)
    return { ...counted, items: side === 'before' ? items.toReversed() : items, hasMore }
  }
}

/**
 * Reads one row more than `size`, to learn whether more follow. The batch size exceeds the limit, so that the database
 * closes the cursor with its first reply.
 */
const readRows = <D extends Document, Item>(
  { collection, sort }: PageRequest<D, Item>,
  filter: MongoFilter<D>,
  skip: number,
  size: number,
) => {
  const options = { sort, skip, limit: size + 1, batchSize: size + 2, maxTimeMS: rowsMs, ...asRaw }
  return collection.find<RawRow>(filter, options).toArray()
}

const lowerBound = (count: number): Count => ({ count, precision: 'lower-bound' })

/**
 * Counts the matches of a filter, at least `seen`. Returns a lower bound if more than `maxCounted` rows match, the
 * database does not count them, or the queue is full.
 */
const countMatches = async <D extends Document, Item>(
  { collection, filter, onCountFailure, queueCount = work => work() }: PageRequest<D, Item>,
  seen: number,
): Promise<Count> => {
  const countRows = async (): Promise<Count> => {
    const matches = await collection.countDocuments(filter, { limit: maxCounted + 1, maxTimeMS: countMs })
    const count = Math.max(seen, Math.min(matches, maxCounted))
    return matches > maxCounted ? lowerBound(count) : { count }
  }
  const isFiltered = Object.keys(filter).length > 0
  if (isFiltered && seen > maxCounted) return lowerBound(seen)
  try {
    if (isFiltered) return await queueCount(countRows, () => lowerBound(seen), maxCountWaitMs)
    const estimate = await collection.estimatedDocumentCount({ maxTimeMS: estimateMs })
    // metadata is wrong after a crash, and while chunks move
    return estimate < minEstimatedSize ? await countRows() : { count: Math.max(estimate, seen), precision: 'estimate' }
  } catch (error) {
    if (!isAnsweredError(error)) throw error
    if (!isMaxTimeExpired(error)) onCountFailure(error)
    return lowerBound(seen)
  }
}

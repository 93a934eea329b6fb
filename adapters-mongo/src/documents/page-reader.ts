import type { Corrupt } from '@snippets/domain/errors.js'
import { type Count, offsetOf, type Page, type Window } from '@snippets/domain/page.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Collection, Document, Filter, FindOptions } from 'mongodb'
import { maxTimeMS } from '../connection/in-time.js'
import { isOutOfTime } from './count-matches.js'
import { type Decode, decodeAllWith } from './document-codec.js'
import type { SharedCounts } from './shared-counts.js'

type Request<F, Item> = Readonly<{
  filter: F
  sort: Sort
  window: Window
  decode: Decode<Item>
  /** The index to read. */
  hint?: Pick<FindOptions, 'hint'>
}>

type Sort = Readonly<Record<string, 1 | -1>>

/** In milliseconds since the page began. A page does not fail because counting takes longer. */
const maxWaitForCountMs = 1000

export const readPage = async <D extends Document, F extends Filter<D>, Item>(
  collection: Collection<D>,
  counts: SharedCounts<F>,
  { filter, sort, window, decode, hint = {} }: Request<F, Item>,
): Promise<E.Either<Corrupt, Page<Item>>> => {
  const until = performance.now() + maxWaitForCountMs
  const skip = offsetOf(window)
  const { size } = window
  // a filter that needed a count before probably needs one again
  const counting = counts.has(filter) ? counts.of(filter) : undefined
  counting?.catch(() => undefined)
  const documents = await collection.find(filter, { ...hint, ...sortedRows(sort, size), skip }).toArray()
  const count = await countFrom({ skip, size, length: documents.length }, () =>
    unlessLate(counting ?? counts.of(filter), until),
  )
  return pipe(
    decodeAllWith(decode)(documents.slice(0, size)),
    E.map(items => ({ ...count, items })),
  )
}

/** The matches on one side of a position, the nearest first. Backwards, the page shows them the other way round. */
export type Stretch<D extends Document> = Readonly<{ matching: Filter<D>; sort: Sort; isBackwards: boolean }>

/** A page beside a position. What comes before it is not read, so its depth costs nothing. */
export const readStretch = async <D extends Document, F extends Filter<D>, Item>(
  collection: Collection<D>,
  counts: SharedCounts<F>,
  { filter, window, decode, hint = {} }: Omit<Request<F, Item>, 'sort'>,
  { matching, sort, isBackwards }: Stretch<D>,
): Promise<E.Either<Corrupt, Page<Item>>> => {
  const until = performance.now() + maxWaitForCountMs
  const { size } = window
  const counting = counts.of(filter)
  counting.catch(() => undefined)
  const documents = await collection.find(matching, { ...hint, ...sortedRows(sort, size) }).toArray()
  const { length } = documents
  const counted = (await unlessLate(counting, until)) ?? { count: length, countIsLowerBound: true }
  const shown = documents.slice(0, size)
  return pipe(
    decodeAllWith(decode)(isBackwards ? shown.reverse() : shown),
    E.map(items => ({ ...counted, count: Math.max(counted.count, length), items, hasMore: length > size })),
  )
}

/** One row more than the page shows, to be certain whether there are more. A batch that is not full closes the cursor. */
const sortedRows = (sort: Sort, size: number) => ({ sort, limit: size + 1, batchSize: size + 2, maxTimeMS })

/** How many documents were skipped, wanted and found. */
type Found = Readonly<{ skip: number; size: number; length: number }>

/** What was found proves the count, or bounds it: the separate count was taken at another moment. */
const countFrom = async ({ skip, size, length }: Found, askCount: () => Promise<Count | undefined>): Promise<Count> => {
  const seen = skip + length
  const isLast = length <= size && (length > 0 || skip === 0)
  if (isLast) return { count: seen }
  const counted = await askCount()
  if (counted === undefined) return { count: length === 0 ? 0 : seen, countIsLowerBound: true }
  return { ...counted, count: length === 0 ? Math.min(counted.count, skip) : Math.max(counted.count, seen) }
}

/** Undefined when the count takes too long. */
const unlessLate = (counting: Promise<Count>, until: number): Promise<Count | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), Math.max(0, until - performance.now()))
    counting
      .then(resolve, error => (isOutOfTime(error) ? resolve(undefined) : reject(error)))
      .finally(() => clearTimeout(timer))
  })

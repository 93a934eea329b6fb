import { type Count, type CursorPage, type NumberedPage, offsetOf, type Window } from '@snippets/domain/list/page.js'
import type { Side } from '@snippets/domain/list/position.js'
import type { Corrupt } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Collection, Document, Filter } from 'mongodb'
import { countMatches } from './count-matches.js'
import { type Decode, decodeAllWith } from './document-codec.js'

export type Sort = Readonly<Record<string, 1 | -1>>

type Request<D extends Document, Item> = Readonly<{
  collection: Collection<D>
  filter: Filter<D>
  sort: Sort
  window: Window
  decode: Decode<Item>
}>

/** Leaves time for a count. */
const maxTimeMS = 900

/** One row more than the page shows, to be certain whether there are more. A batch that is not full closes the cursor. */
const rows = (sort: Sort, size: number) => ({ sort, limit: size + 1, batchSize: size + 2, maxTimeMS })

export const readPage = async <D extends Document, Item>({
  collection,
  filter,
  sort,
  window,
  decode,
}: Request<D, Item>): Promise<E.Either<Corrupt, NumberedPage<Item>>> => {
  const { size } = window
  const skip = offsetOf(window)
  const documents = await collection.find(filter, { ...rows(sort, size), skip }).toArray()
  const { length } = documents
  const seen = skip + length
  const isLast = length <= size && (length > 0 || skip === 0)
  const counted: Count = isLast ? { count: seen } : await countMatches(collection, filter)
  // the rows bound the count, which was taken at another moment
  const count = length === 0 ? Math.min(counted.count, skip) : Math.max(counted.count, seen)
  return pipe(
    decodeAllWith(decode)(documents.slice(0, size)),
    E.map(items => ({ ...counted, count, items })),
  )
}

/** A page beside a position: the matches on that side, in a sort by which the nearest come first. Its depth costs nothing. */
export const readBeside = async <D extends Document, Item>({
  collection,
  filter,
  sort,
  window: { size },
  decode,
  side,
  nearest,
}: Request<D, Item> & Readonly<{ side: Side; nearest: Filter<D> }>): Promise<E.Either<Corrupt, CursorPage<Item>>> => {
  const [documents, counted] = await Promise.all([
    collection.find(nearest, rows(sort, size)).toArray(),
    countMatches(collection, filter),
  ])
  const { length } = documents
  const shown = documents.slice(0, size)
  return pipe(
    decodeAllWith(decode)(side === 'before' ? shown.reverse() : shown),
    E.map(items => ({ ...counted, count: Math.max(counted.count, length), items, hasMore: length > size })),
  )
}

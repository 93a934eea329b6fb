import type { Corrupt } from '@snippets/domain/errors.js'
import { offsetOf, type Page, type Window } from '@snippets/domain/page.js'
import * as A from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Collection, Document, Filter } from 'mongodb'
import { maxTimeMS } from './attempt.js'
import type { Key } from './indexes.js'

export type Decode<Item> = (document: Document) => E.Either<Corrupt, Item>

export const decodeAll =
  <Item>(decode: Decode<Item>) =>
  (documents: Document[]): E.Either<Corrupt, readonly Item[]> =>
    pipe(documents, A.traverse(E.Applicative)(decode))

type Request<D extends Document, Item> = Readonly<{
  filter: Filter<D>
  sort: Key
  window: Window
  decode: Decode<Item>
}>

export const readPage = async <D extends Document, Item>(
  collection: Collection<D>,
  { filter, sort, window, decode }: Request<D, Item>,
): Promise<E.Either<Corrupt, Page<Item>>> => {
  // no collection reaches so far, and a larger number is none that the database takes
  const skip = Math.min(offsetOf(window), Number.MAX_SAFE_INTEGER)
  const [documents, counted] = await Promise.all([
    collection.find(filter, { sort, skip, limit: window.size, maxTimeMS }).toArray(),
    count(collection, filter),
  ])
  return pipe(
    decodeAll(decode)(documents),
    E.map(items => ({ items, count: countSeen(counted, skip, items.length, window.size) })),
  )
}

/** From here on a whole collection is counted by its metadata, which costs nothing at any size. */
const large = 10_000

/**
 * A filter's matches are counted from an index. So is a small collection, exactly: metadata can be off after a crash.
 * `countDocuments` rather than the older `count`, which on a sharded cluster also counts what has moved elsewhere.
 */
const count = async <D extends Document>(collection: Collection<D>, filter: Filter<D>): Promise<number> => {
  if (Object.keys(filter).length > 0) return collection.countDocuments(filter, { maxTimeMS })
  const estimate = await collection.estimatedDocumentCount({ maxTimeMS })
  return estimate < large ? collection.countDocuments({}, { maxTimeMS, hint: { _id: 1 } }) : estimate
}

/** What the page itself shows goes before what was counted at another moment. */
const countSeen = (counted: number, skip: number, length: number, size: number): number => {
  if (length === 0) return Math.min(counted, skip)
  return length < size ? skip + length : Math.max(counted, skip + length)
}

import type { Corrupt } from '@snippets/domain/errors.js'
import { offsetOf, type Page, type Window } from '@snippets/domain/page.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Collection, Document, Filter } from 'mongodb'
import { maxTimeMS } from '../connection/in-time.js'
import { type Decode, decodeAllWith } from './document-codec.js'

type PageRequest<D extends Document, Item> = Readonly<{
  filter: Filter<D>
  sort: Readonly<Record<string, 1 | -1>>
  window: Window
  decode: Decode<Item>
}>

export const readPage = async <D extends Document, Item>(
  collection: Collection<D>,
  { filter, sort, window, decode }: PageRequest<D, Item>,
): Promise<E.Either<Corrupt, Page<Item>>> => {
  const skip = offsetOf(window)
  const [documents, counted] = await Promise.all([
    collection.find(filter, { sort, skip, limit: window.size, maxTimeMS }).toArray(),
    count(collection, filter),
  ])
  return pipe(
    decodeAllWith(decode)(documents),
    E.map(items => ({ items, count: reconcile(counted, skip, items.length, window.size) })),
  )
}

/** A whole collection of this size or more is counted from its metadata, which costs nothing at any size. */
const large = 10_000

/**
 * The matches of a filter are counted in an index. So is a small collection, because metadata can be wrong after a crash.
 * `countDocuments` rather than the older `count`, which on a sharded cluster also counts documents that have moved to
 * another shard.
 */
const count = async <D extends Document>(collection: Collection<D>, filter: Filter<D>): Promise<number> => {
  if (Object.keys(filter).length > 0) return collection.countDocuments(filter, { maxTimeMS })
  const estimate = await collection.estimatedDocumentCount({ maxTimeMS })
  return estimate < large ? collection.countDocuments({}, { maxTimeMS, hint: { _id: 1 } }) : estimate
}

/** Prefers what the page proves over the separate count, which was taken at another moment. */
const reconcile = (counted: number, skip: number, length: number, size: number): number => {
  if (length === 0) return Math.min(counted, skip)
  return length < size ? skip + length : Math.max(counted, skip + length)
}

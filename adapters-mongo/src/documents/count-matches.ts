import type { Count } from '@snippets/domain/page.js'
import { type Collection, type CountDocumentsOptions, type Document, type Filter, MongoServerError } from 'mongodb'
import { maxTimeMS } from '../connection/in-time.js'

/** A whole collection of this size or more is counted from its metadata, which costs nothing at any size. */
const large = 10_000

/** How long the database may count. A million entries of an index take about half of it. */
const countingMs = 800

/** The matches of a filter, exactly where that can be counted in time; else it is known to be a large number. */
export const countMatches = async <D extends Document>(
  collection: Collection<D>,
  filter: Filter<D>,
  hint: Pick<CountDocumentsOptions, 'hint'>,
): Promise<Count> => {
  if (Object.keys(filter).length === 0) return { count: await countAll(collection) }
  try {
    return { count: await collection.countDocuments(filter, { ...hint, maxTimeMS: countingMs }) }
  } catch (error) {
    if (!isOutOfTime(error)) throw error
    return {
      count: await collection.countDocuments(filter, { ...hint, limit: large, maxTimeMS }),
      countIsLowerBound: true,
    }
  }
}

/**
 * A small collection is counted, because metadata can be wrong after a crash. `countDocuments` rather than the older
 * `count`, which on a sharded cluster also counts documents that have moved to another shard.
 */
const countAll = async <D extends Document>(collection: Collection<D>): Promise<number> => {
  const estimate = await collection.estimatedDocumentCount({ maxTimeMS })
  return estimate < large ? collection.countDocuments({}, { maxTimeMS, hint: { _id: 1 } }) : estimate
}

/** The database stopped at `maxTimeMS`. */
export const isOutOfTime = (error: unknown): boolean => error instanceof MongoServerError && error.code === 50

import type { Count } from '@snippets/domain/list/page.js'
import type { Collection, Document, Filter } from 'mongodb'
import { isOutOfTime } from './refusals.js'

/** A whole collection of this size or more is counted from its metadata, which costs nothing at any size. */
const large = 10_000

/** A page takes a read and a count, and both have to end in time. */
const maxTimeMS = 500

/** The matches of a filter. Where counting them takes too long, there are none or more. */
export const countMatches = async <D extends Document>(
  collection: Collection<D>,
  filter: Filter<D>,
): Promise<Count> => {
  try {
    const isAll = Object.keys(filter).length === 0
    const estimate = isAll ? await collection.estimatedDocumentCount({ maxTimeMS }) : 0
    // a small collection is counted, because metadata can be wrong after a crash
    return { count: estimate < large ? await collection.countDocuments(filter, { maxTimeMS }) : estimate }
  } catch (error) {
    if (!isOutOfTime(error)) throw error
    return { count: 0, countIsLowerBound: true }
  }
}

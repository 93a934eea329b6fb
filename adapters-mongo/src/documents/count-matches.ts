import type { Count } from '@snippets/domain/queries/page.js'
import type { Collection, Document, Filter } from 'mongodb'
import { type RunQueued, runNow } from '../connection/queue.js'
import { isMaxTimeExpired } from './rejections.js'
import { countMs } from './time-limits.js'

/** A whole collection of this size or more is counted from its metadata, which is cheap at any size. */
const estimatedFrom = 10_000

/** A count that waits longer is left out: the rows of the page are there by then. */
const maxCountWaitMs = 150

export type CountRequest<D extends Document> = Readonly<{
  collection: Collection<D>
  filter: Filter<D>
  /** Where a count with a filter waits for its turn: without it, the page has had its turn. */
  runScan?: RunQueued
}>

const lowerBound: Count = { count: 0, countIsLowerBound: true }

/** The matches of a filter, or a lower bound where counting them takes too long. Only a filter makes a count a scan. */
export const countMatches = async <D extends Document>({
  collection,
  filter,
  runScan = runNow,
}: CountRequest<D>): Promise<Count> => {
  const count = async () => ({ count: await collection.countDocuments(filter, { maxTimeMS: countMs }) })
  try {
    if (Object.keys(filter).length > 0) return await runScan<Count>(count, () => lowerBound, maxCountWaitMs)
    const estimate = await collection.estimatedDocumentCount({ maxTimeMS: countMs })
    // a small collection is counted, because metadata can be wrong after a crash
    return estimate < estimatedFrom ? await count() : { count: estimate }
  } catch (error) {
    if (!isMaxTimeExpired(error)) throw error
    return lowerBound
  }
}

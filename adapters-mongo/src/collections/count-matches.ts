import type { RunQueued } from '@snippets/application/remote-storage/queue.js'
import type { Count } from '@snippets/domain/queries/page.js'
import type { Collection, Document, Filter } from 'mongodb'
import { isMaxTimeExpired } from './rejections.js'
import { countMs } from './time-limits.js'

/** The count of an unfiltered collection of this size or more comes from its metadata. */
const minEstimatedSize = 10_000

/** A count that waits longer becomes a lower bound, because the rows of the page wait for it. */
const maxCountWaitMs = 150

export type CountRequest<D extends Document> = Readonly<{
  collection: Collection<D>
  filter: Filter<D>
  /** The queue for a count with a filter. Without it, the count runs at once. */
  runScan?: RunQueued
}>

const lowerBound: Count = { count: 0, countIsLowerBound: true }

/** Counts the matches of a filter. Returns a lower bound of 0 on a timeout, or if the queue is full. */
export const countMatches = async <D extends Document>({
  collection,
  filter,
  runScan = work => work(),
}: CountRequest<D>): Promise<Count> => {
  const count = async () => ({ count: await collection.countDocuments(filter, { maxTimeMS: countMs }) })
  try {
    if (Object.keys(filter).length > 0) return await runScan<Count>(count, () => lowerBound, maxCountWaitMs)
    const estimate = await collection.estimatedDocumentCount({ maxTimeMS: countMs })
    // metadata can be wrong after a crash
    return estimate < minEstimatedSize ? await count() : { count: estimate }
  } catch (error) {
    if (!isMaxTimeExpired(error)) throw error
    return lowerBound
  }
}

import { createDeadlineRunner, type DeadlineOptions, type WithDeadline } from './operation.js'
import { createOperationQueue, tooManyQueued } from './queue.js'

export type Operations = ReturnType<typeof createOperations>

/**
 * Creates the functions that run the operations of a storage. Each queue has its share of the pool, so that none delays
 * another unless the pool is very small. The last eighth serves batches, which have queues of their own, and health
 * checks, which need none.
 */
export const createOperations = (options: DeadlineOptions, maxInFlight: number) => {
  const withDeadline = createDeadlineRunner(options)
  const share = (eighths: number) => createOperationQueue(Math.max(1, Math.floor((maxInFlight * eighths) / 8)))
  const [reads, writes, expensive, lookups] = [share(3), share(2), share(1), share(1)]
  const withDeadlineIn =
    ({ run }: typeof reads): WithDeadline =>
    work =>
      run(
        () => withDeadline(work),
        () => tooManyQueued,
      )
  return {
    /** Runs an operation without a queue: a batch, a health check, or an operation that has its slot. */
    withDeadline,
    /** Runs a page or a batch of a list. */
    runRead: withDeadlineIn(reads),
    /** Runs an update or a delete. */
    runWrite: withDeadlineIn(writes),
    /** Runs a search, a deep page, a count or a slow read, which may take long. */
    queueExpensive: expensive.run,
    /** Runs a read of one snippet that shares no batch. */
    queueLookup: lookups.run,
    /** Returns the number of operations that wait. */
    queued: () => [reads, writes, expensive, lookups].reduce((sum, { queued }) => sum + queued(), 0),
  }
}

import { createDeadlineRunner, type DeadlineOptions, type RunJob } from './job.js'
import { createJobQueue, tooManyQueued } from './queue.js'

export type Runners = ReturnType<typeof createRunners>

/**
 * Creates the functions that run the jobs of a storage. Each queue has its share of the pool, so that none delays
 * another unless the pool is very small. The last eighth serves batches, which have queues of their own, and health
 * checks, which need none.
 */
export const createRunners = (options: DeadlineOptions, maxInFlight: number) => {
  const withDeadline = createDeadlineRunner(options)
  const share = (eighths: number) => createJobQueue(Math.max(1, Math.floor((maxInFlight * eighths) / 8)))
  const [reads, writes, expensive, lookups] = [share(3), share(2), share(1), share(1)]
  const withDeadlineIn =
    ({ run }: typeof reads): RunJob =>
    work =>
      run(
        () => withDeadline(work),
        () => tooManyQueued,
      )
  return {
    /** Runs a job without a queue: a batch, a health check, or a job that has its slot. */
    withDeadline,
    /** Runs a page or a batch of a list. */
    runRead: withDeadlineIn(reads),
    /** Runs an update or a delete. */
    runWrite: withDeadlineIn(writes),
    /** Runs a search, a deep page, a count or a slow read, which may take long. Sets no deadline. */
    withExpensiveSlot: expensive.run,
    /** Runs a read of one snippet that shares no batch. Sets no deadline. */
    withLookupSlot: lookups.run,
    /** Reports a failure of the database that fails no job. */
    onFailure: options.onFailure,
    /** Returns the number of jobs that wait. */
    queued: () => [reads, writes, expensive, lookups].reduce((sum, { queued }) => sum + queued(), 0),
  }
}

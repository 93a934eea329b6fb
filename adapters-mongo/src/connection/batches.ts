import { tooManyQueued } from '@snippets/application/remote-storage/operation.js'
import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import DataLoader from 'dataloader'
import * as E from 'fp-ts/lib/Either.js'

/** The limit of jobs in one batch. The queue of a kind of job holds at most `concurrency` full batches. */
const maxBatchSize = 1000

/** A batch that runs longer than this no longer counts as in flight, so that the next batch can start. */
const slowMs = 500

/** Returns one answer for each job, in the same order. MUST NOT reject, and MUST answer before the deadline. */
type RunBatch<Job, Answer> = (jobs: readonly Job[]) => Promise<readonly Answer[]>

/**
 * Runs jobs in batches. A batch takes the jobs of one turn of the event loop. While the batch waits for other batches,
 * it also takes the jobs that arrive. It starts in an immediate: Node first reads the next requests of the clients that
 * were just answered.
 */
export const inBatches = <Job, Answer>(
  concurrency: number,
  run: RunBatch<Job, Answer>,
): ((job: Job) => Promise<Answer | E.Either<Unavailable, never>>) => {
  const queuedBatches: (() => void)[] = []
  let inFlight = 0
  let queuedJobs = 0
  const runNext = async (jobs: readonly Job[]): Promise<readonly Answer[]> => {
    let isCounted = true
    const release = (): void => {
      if (isCounted) inFlight--
      isCounted = false
      if (inFlight < concurrency) queuedBatches.shift()?.()
    }
    const timer = setTimeout(release, slowMs)
    inFlight++
    queuedJobs -= jobs.length
    const answers = await run(jobs)
    clearTimeout(timer)
    release()
    return answers
  }
  const loader = new DataLoader<Job, Answer>(runNext, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: dispatch =>
      setImmediate(() => {
        if (inFlight < concurrency) dispatch()
        else queuedBatches.push(dispatch)
      }),
  })
  return job => {
    if (queuedJobs >= maxBatchSize * concurrency)
      return Promise.resolve(E.left(unavailable('unapplied', tooManyQueued)))
    queuedJobs++
    return loader.load(job)
  }
}

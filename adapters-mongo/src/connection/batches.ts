import { queueFull } from '@snippets/application/remote-storage/operation.js'
import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import DataLoader from 'dataloader'
import * as E from 'fp-ts/lib/Either.js'

/** The most jobs of one batch. The queue is as long as all batches in flight together, so that a job waits for one batch at most. */
const maxBatchSize = 1000

/** A batch that takes longer no longer delays the next one: its answer may never come. */
const slowMs = 500

/** Answers each job, in the same order. MUST NOT reject, and MUST answer in time. */
type RunBatch<Job, Answer> = (jobs: readonly Job[]) => Promise<readonly Answer[]>

/**
 * Runs jobs together that arrive in one turn of the event loop, or while the allowed number of batches is in flight. A
 * batch begins in an immediate: the answers of a batch go out together, so the next requests of their clients arrive together.
 */
export const inBatches = <Job, Answer>(
  concurrency: number,
  observe: (size: number) => void,
  run: RunBatch<Job, Answer>,
): ((job: Job) => Promise<Answer | E.Either<Unavailable, never>>) => {
  const due: (() => void)[] = []
  let inFlight = 0
  let waiting = 0
  const runNext = async (jobs: readonly Job[]): Promise<readonly Answer[]> => {
    let isCounted = true
    const release = (): void => {
      if (isCounted) inFlight--
      isCounted = false
      if (inFlight < concurrency) due.shift()?.()
    }
    const timer = setTimeout(release, slowMs)
    inFlight++
    waiting -= jobs.length
    observe(jobs.length)
    const answers = await run(jobs)
    clearTimeout(timer)
    release()
    return answers
  }
  const loader = new DataLoader<Job, Answer>(runNext, {
    cache: false,
    maxBatchSize: maxBatchSize,
    batchScheduleFn: dispatch =>
      setImmediate(() => {
        if (inFlight < concurrency) dispatch()
        else due.push(dispatch)
      }),
  })
  return job => {
    if (waiting >= maxBatchSize * concurrency) return Promise.resolve(E.left(unavailable('unapplied', queueFull)))
    waiting++
    return loader.load(job)
  }
}

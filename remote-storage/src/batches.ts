import type { Unavailable } from '@snippets/domain/ports/errors.js'
import type * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { createOperationQueue, tooManyQueued } from './queue.js'

/** The limit of jobs in one batch. At most `concurrency` full batches wait. */
const maxBatchSize = 1000

/** Returns one result for each job, in the same order. MUST NOT reject, and MUST end before the deadline. */
type RunBatch<Job, Err, A> = (jobs: readonly Job[]) => Promise<readonly E.Either<Err, A>[]>

type WaitingJob<Job, Err, A> = Readonly<{ job: Job; resolve: (answer: E.Either<Err, A>) => void }>

/**
 * Runs jobs in batches. A batch takes the jobs of one turn of the event loop, and the jobs that arrive while it waits
 * for other batches. It starts in an immediate: Node first reads the next requests of the clients that were just
 * answered.
 */
export const runInBatches = <Job, Err, A>(
  concurrency: number,
  run: RunBatch<Job, Err, A>,
): ((job: Job) => TE.TaskEither<Err | Unavailable, A>) => {
  const queue = createOperationQueue(concurrency)
  const waiting: WaitingJob<Job, Err | Unavailable, A>[] = []
  const runBatch = async (): Promise<void> => {
    const batch = waiting.splice(0, maxBatchSize)
    const answers = await run(batch.map(({ job }) => job))
    for (const [i, answer] of answers.entries()) batch[i]?.resolve(answer)
  }
  return job => async () => {
    if (waiting.length >= maxBatchSize * concurrency) return tooManyQueued
    // The first job of a batch queues it. After the longest wait it starts without a slot, so that its jobs get results.
    if (waiting.length % maxBatchSize === 0) setImmediate(() => queue.run(runBatch, runBatch))
    return new Promise(resolve => waiting.push({ job, resolve }))
  }
}

import type { Timers } from '@snippets/application/remote-storage/operation.js'
import { operationQueue, tooManyQueued } from '@snippets/application/remote-storage/queue.js'
import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'

/** The limit of jobs in one batch. At most `concurrency` full batches wait. */
const maxBatchSize = 1000

/** Returns one answer for each job, in the same order. MUST NOT reject, and MUST answer before the deadline. */
type RunBatch<Job, Answer> = (jobs: readonly Job[]) => Promise<readonly Answer[]>

type WaitingJob<Job, Answer> = Readonly<{ job: Job; resolve: (answer: Answer) => void }>

/**
 * Runs jobs in batches. A batch takes the jobs of one turn of the event loop, and the jobs that arrive while it waits
 * for other batches. It starts in an immediate: Node first reads the next requests of the clients that were just
 * answered.
 */
export const inBatches = <Job, Answer>(
  timers: Timers,
  concurrency: number,
  run: RunBatch<Job, Answer>,
): ((job: Job) => Promise<Answer | E.Either<Unavailable, never>>) => {
  const queue = operationQueue(timers, concurrency)
  const waiting: WaitingJob<Job, Answer | E.Either<Unavailable, never>>[] = []
  const runBatch = async (): Promise<void> => {
    const batch = waiting.splice(0, maxBatchSize)
    const answers = await run(batch.map(({ job }) => job))
    for (const [i, answer] of answers.entries()) batch[i]?.resolve(answer)
  }
  return job => {
    if (waiting.length >= maxBatchSize * concurrency)
      return Promise.resolve(E.left(unavailable('unapplied', tooManyQueued)))
    // The first job of a batch queues it. After the longest wait it starts without a slot, so that its jobs get answers.
    if (waiting.length % maxBatchSize === 0) setImmediate(() => queue.run(runBatch, runBatch))
    return new Promise(resolve => waiting.push({ job, resolve }))
  }
}

// A command costs a database far more than one of its rows, so concurrent jobs share a command. Jobs wait in one list.
// The first job asks the queue for a slot. The batch takes all jobs that wait when its slot becomes free, so batches
// grow with the load. A batch that gets no slot in time runs anyway, because every job needs a result. When
// `concurrency` full batches wait, further jobs are rejected.

import type { Unavailable } from '@snippets/domain/ports/errors.js'
import type * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { createJobQueue, tooManyQueued } from './queue.js'

/** The limit of jobs in one batch. A driver may split a larger command. */
const maxBatchSize = 999

/** Returns one result for each job, in the same order. MUST NOT reject, and MUST end within `deadlineMs`. */
type RunBatch<Job, Err, A> = (jobs: readonly Job[]) => Promise<readonly E.Either<Err, A>[]>

type WaitingJob<Job, Err, A> = Readonly<{ job: Job; resolve: (result: E.Either<Err, A>) => void }>

/** Creates a function that adds a job to a batch. `concurrency` is the number of slots for batches in flight. */
export const createBatcher = <Job, Err, A>(
  concurrency: number,
  run: RunBatch<Job, Err, A>,
): ((job: Job) => TE.TaskEither<Err | Unavailable, A>) => {
  const queue = createJobQueue(concurrency)
  const waiting: WaitingJob<Job, Err | Unavailable, A>[] = []
  const runBatch = async (): Promise<void> => {
    const batch = waiting.splice(0, maxBatchSize)
    const results = await run(batch.map(({ job }) => job))
    for (const [i, result] of results.entries()) batch[i]?.resolve(result)
  }
  return job => async () => {
    if (waiting.length >= maxBatchSize * concurrency) return tooManyQueued
    // in an immediate, so that Node first reads the next requests of the clients that were just answered
    if (waiting.length % maxBatchSize === 0) setImmediate(() => queue.run(runBatch, runBatch))
    return new Promise(resolve => waiting.push({ job, resolve }))
  }
}

import { tooManyWait } from '@snippets/application/remote-storage/operation.js'
import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import DataLoader from 'dataloader'
import * as E from 'fp-ts/lib/Either.js'

/** The most jobs of one batch. As many as all batches under way can hold may wait, so each waits for one of them at most. */
const size = 1000

/** A batch that takes longer keeps no other from beginning: its answer may never come. */
const slowMs = 500

/** Answers each job, in their order. MUST NOT reject, and MUST answer in time. */
type Run<Job, Answer> = (jobs: readonly Job[]) => Promise<readonly Answer[]>

/**
 * Runs jobs together that arrive in one turn of the event loop, or while so many batches are under way. Called in an
 * immediate, as the answers of a batch go out together, and the next requests of their clients come together.
 */
export const inBatches = <Job, Answer>(
  atATime: number,
  observe: (size: number) => void,
  run: Run<Job, Answer>,
): ((job: Job) => Promise<Answer | E.Either<Unavailable, never>>) => {
  const due: (() => void)[] = []
  let underWay = 0
  let waiting = 0
  const runNext = async (jobs: readonly Job[]): Promise<readonly Answer[]> => {
    let isCounted = true
    const makeRoom = (): void => {
      if (isCounted) underWay--
      isCounted = false
      if (underWay < atATime) due.shift()?.()
    }
    const timer = setTimeout(makeRoom, slowMs)
    underWay++
    waiting -= jobs.length
    observe(jobs.length)
    const answers = await run(jobs)
    clearTimeout(timer)
    makeRoom()
    return answers
  }
  const loader = new DataLoader<Job, Answer>(runNext, {
    cache: false,
    maxBatchSize: size,
    batchScheduleFn: dispatch =>
      setImmediate(() => {
        if (underWay < atATime) dispatch()
        else due.push(dispatch)
      }),
  })
  return job => {
    if (waiting >= size * atATime) return Promise.resolve(E.left(unavailable('unapplied', tooManyWait)))
    waiting++
    return loader.load(job)
  }
}

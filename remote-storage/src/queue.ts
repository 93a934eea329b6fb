import { unavailable } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'
import { LoggableError } from './redaction.js'
import { runAfter } from './run-after.js'

/** The default limit of the wait. The job with its deadline follows, so both must fit in `maxAnswerMs`. */
const maxQueuedMs = 0.2 * maxAnswerMs

const maxQueuedJobs = 1000

// created once, because a stack trace is expensive
export const tooManyQueued = E.left(
  unavailable('unapplied', new LoggableError('not sent: too many operations wait for the database')),
)

/**
 * Runs the work when it gets a slot. Returns `otherwise()` if the queue is full or the wait times out. The work MUST
 * have a deadline, of its own or of the caller.
 */
export type WithSlot = <A>(work: () => Promise<A>, otherwise: () => A, waitMs?: number) => Promise<A>

/**
 * Creates a queue that limits the jobs in flight, the waiting jobs and the time that they wait. A job that timed out
 * frees its slot, although the driver may still work on it until a timeout of its own.
 */
export const createJobQueue = (concurrency: number) => {
  const waiting = new Set<() => void>()
  let inFlight = 0

  /** Resolves to false if no slot becomes free in time. */
  const slot = (waitMs: number): Promise<boolean> =>
    new Promise(resolve => {
      const leave = (hasSlot: boolean): void => {
        cancel()
        waiting.delete(begin)
        resolve(hasSlot)
      }
      const begin = (): void => leave(true)
      const cancel = runAfter(waitMs, () => leave(false))
      waiting.add(begin)
    })

  const run: WithSlot = async (work, otherwise, waitMs = maxQueuedMs) => {
    if (inFlight < concurrency) inFlight++
    else if (waiting.size >= maxQueuedJobs || !(await slot(waitMs))) return otherwise()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next === undefined) inFlight--
      else next()
    }
  }
  return { run, queued: () => waiting.size }
}

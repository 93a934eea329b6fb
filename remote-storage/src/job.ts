import { type Rejected, rejected, type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'
import { LoggableError, redactError } from './redaction.js'
import { runAfter } from './run-after.js'

/** The longest time from the start of a job to its result. The wait in a queue comes first. */
export const deadlineMs = 0.64 * maxAnswerMs

/** Work on the database, for one caller or a batch of callers. */
export type Job = {
  /** The outcome to report if the job fails now: `unknown` from the sending of a write until its success. */
  outcome: Unavailable['outcome']
  /** Whether the driver has sent a write again after a lost reply. The error of the second attempt proves nothing. */
  isRepeated?: boolean
  /** Aborted at the deadline. The work MUST send no write afterwards, so it calls `throwIfAborted` before each. */
  readonly signal: AbortSignal
}

/**
 * Runs work within a deadline. Returns `Rejected` if the work throws a rejection. Returns `Unavailable`, with the
 * outcome of the job, if the work throws another error or times out.
 */
export type RunJob = <Err, A>(
  work: (job: Job) => Promise<E.Either<Err, A>>,
) => Promise<E.Either<Err | Unavailable | Rejected, A>>

export type DeadlineOptions = Readonly<{
  /** Called before each job. Resolves at once if there is a connection. */
  connect: () => Promise<unknown>
  /** Tells whether the database wrote nothing, and a retry would cause the same error. */
  isRejection: (error: unknown) => boolean
  /** Called with each failure of the database, except rejections. MUST log no user data of the cause. */
  onFailure: (cause: unknown) => void
  /** Called when a job has returned a Right in time. */
  onSuccess: () => void
}>

const noAnswer = new LoggableError(`no answer from the database within ${deadlineMs} ms`)

/** Creates a `RunJob` that connects first. */
export const createDeadlineRunner =
  ({ connect, isRejection, onFailure, onSuccess }: DeadlineOptions): RunJob =>
  async work => {
    const expiry = new AbortController()
    const job: Job = { outcome: 'unapplied', signal: expiry.signal }
    const cancel = runAfter(deadlineMs, () => expiry.abort(noAnswer))
    const timeout = new Promise<never>((_, reject) => job.signal.addEventListener('abort', () => reject(noAnswer)))
    const run = async () => {
      await connect()
      job.signal.throwIfAborted()
      return work(job)
    }
    try {
      const result = await Promise.race([run(), timeout])
      if (E.isRight(result)) onSuccess()
      return result
    } catch (error) {
      const cause = redactError(error)
      if (isRejection(error) && !job.isRepeated) return E.left(rejected(cause))
      onFailure(cause)
      return E.left(unavailable(job.outcome, cause))
    } finally {
      cancel()
    }
  }

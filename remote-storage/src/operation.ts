import { type Rejected, rejected, type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'
import { LoggableError, redactError } from './redaction.js'
import { runAfter } from './run-after.js'

/** The longest time from the start of an operation to its result. The wait in a queue comes first. */
export const deadlineMs = 0.64 * maxAnswerMs

/** The state of work on the database, for one caller or a batch of callers. */
export class Operation {
  /** `unknown` while a write has been sent and has not succeeded. */
  outcome: Unavailable['outcome'] = 'unapplied'
  /** Whether the callers have been answered. */
  isOver = false
  /** Called once, at the result or the deadline. The work may set it, to cancel commands in flight. */
  onEnd: () => void = () => {}

  /** Throws if the callers have been answered. The work MUST call this before each write. */
  throwIfOver(): void {
    if (this.isOver) throw lateWrite
  }

  end(): void {
    this.isOver = true
    this.onEnd()
  }
}

const lateWrite = new LoggableError('write not sent: its caller has been answered')

type Failure = Unavailable | Rejected

/**
 * Runs work within a deadline. Returns `Rejected` if the work throws a rejection. Returns `Unavailable`, with the
 * outcome of the operation, if the work throws another error or times out.
 */
export type WithDeadline = <Err, A>(
  work: (operation: Operation) => Promise<E.Either<Err, A>>,
) => Promise<E.Either<Err | Failure, A>>

type Options = Readonly<{
  /** Called before each operation. Resolves at once if there is a connection. */
  connect: () => Promise<unknown>
  /** Tells whether the database wrote nothing, and a retry would cause the same error. */
  isRejection: (error: unknown) => boolean
  /** Called with each failure of the database, without user data. */
  onFailure: (cause: Error) => void
  /** Called when the database has answered an operation. */
  onSuccess: () => void
}>

/** Creates a `WithDeadline` that connects first. */
export const createDeadlineRunner = ({ connect, isRejection, onFailure, onSuccess }: Options): WithDeadline => {
  const noAnswer = new LoggableError(`no answer from the database within ${deadlineMs} ms`)
  return <Err, A>(work: (operation: Operation) => Promise<E.Either<Err, A>>) =>
    new Promise<E.Either<Err | Failure, A>>(resolve => {
      const operation = new Operation()
      const answer = (result: E.Either<Err | Failure, A>): void => {
        if (operation.isOver) return
        cancel()
        operation.end()
        resolve(result)
      }
      const fail = (cause: unknown): void => {
        if (operation.isOver) return
        const isRejected = isRejection(cause)
        const err = redactError(cause)
        if (!isRejected) onFailure(err)
        answer(E.left(isRejected ? rejected(err) : unavailable(operation.outcome, err)))
      }
      const cancel = runAfter(deadlineMs, () => fail(noAnswer))
      const run = async (): Promise<void> => {
        await connect()
        if (operation.isOver) return
        const result = await work(operation)
        // a full queue is a Left
        if (E.isRight(result)) onSuccess()
        answer(result)
      }
      run().catch(fail)
    })
}

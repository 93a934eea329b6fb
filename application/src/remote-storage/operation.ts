import { type Rejected, rejected, type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import { LoggableError, loggableError } from './loggable-error.js'
import type { OutageLog } from './outage-log.js'
import type { Timers } from './timers.js'

/** One piece of work with the database, for one caller or for a batch of them. */
export class Operation {
  /** `unknown` while a write has been sent and is not answered. */
  outcome: Unavailable['outcome'] = 'unapplied'
  /** Its callers have been answered. Nothing may be written for them any more. */
  isOver = false
  onEnd: () => void = () => {}

  end(): void {
    this.isOver = true
    this.onEnd()
  }
}

type Failure = Unavailable | Rejected

/** Runs work within the deadline. When the work throws or takes longer, the error says what is known of its write. */
export type InTime = <Err, A>(
  work: (operation: Operation) => Promise<E.Either<Err, A>>,
) => Promise<E.Either<Err | Failure, A>>

// made once: a stack costs more than the rest of a rejection
export const queueFull = new LoggableError('not sent: too many operations wait for the database')

type DeadlineOptions = Readonly<{
  /** Every operation is answered within this time after it has begun. */
  deadlineMs: number
  timers: Timers
  /** Costs nothing once there is a connection. */
  connect: () => Promise<unknown>
  /** Whether the database answered with an error that a repetition does not mend, and wrote nothing. */
  isRejection: (error: unknown) => boolean
  outages: OutageLog
}>

export const inTimeAfter = ({ deadlineMs, timers, connect, isRejection, outages }: DeadlineOptions): InTime => {
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
        if (isRejected) outages.worked()
        else outages.failed(cause)
        const err = loggableError(cause)
        answer(E.left(isRejected ? rejected(err) : unavailable(operation.outcome, err)))
      }
      const cancel = timers.after(deadlineMs, () => fail(noAnswer))
      connect()
        .then(() => work(operation))
        .then(result => {
          outages.worked()
          answer(result)
        }, fail)
    })
}

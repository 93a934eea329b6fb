import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { OutageLog } from './outage-log.js'

/** Every operation is answered within this time after it has begun. */
const workMs = 1600

/** How long the database may work on one read: less, so that it gives up first and says so. */
export const maxTimeMS = 1200

/** One piece of work with the database, for one caller or for a batch of them. */
export class Operation {
  /** What is true of its write when the database gives no answer. */
  outcome: Unavailable['outcome'] = 'unapplied'
  /** Its callers have been answered. Nothing may be written for them any more. */
  isOver = false
  onEnd: () => void = () => {}

  end(): void {
    this.isOver = true
    this.onEnd()
  }
}

/** Runs work within the deadline. `Unavailable` when it throws or takes longer, with what is then known of its write. */
export type InTime = <Err, A>(
  work: (operation: Operation) => Promise<E.Either<Err, A>>,
) => Promise<E.Either<Err | Unavailable, A>>

// made once: a stack costs more than the rest of a refusal
const noAnswer = new Error(`no answer from the database within ${workMs} ms`)
export const tooManyWait = new Error('not sent: too many operations wait for the database')

/** `connect` costs nothing once there is a connection. */
export const inTimeAfter =
  (connect: () => Promise<unknown>, outages: OutageLog): InTime =>
  <Err, A>(work: (operation: Operation) => Promise<E.Either<Err, A>>) =>
    new Promise<E.Either<Err | Unavailable, A>>(resolve => {
      const operation = new Operation()
      const answer = (result: E.Either<Err | Unavailable, A>): void => {
        if (operation.isOver) return
        clearTimeout(timer)
        operation.end()
        resolve(result)
      }
      const fail = (cause: unknown): void => {
        if (!operation.isOver) outages.failed(cause)
        answer(E.left(unavailable(operation.outcome, cause)))
      }
      const timer = setTimeout(() => fail(noAnswer), workMs)
      connect()
        .then(() => work(operation))
        .then(result => {
          outages.worked()
          answer(result)
        }, fail)
    })

import { type Unavailable, unavailable } from '@snippets/domain/errors.js'
import { type Either, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Attempt } from './attempt.js'

/** Every operation is answered within this time of its arrival, whatever the driver is doing. */
const deadlineMs = 2000

/** How long the database may work on one read. */
export const maxTimeMS = 1500

/**
 * Runs an operation within the deadline. One that throws, or takes too long, is `Unavailable` with the outcome that its
 * attempt has by then. A read never marks its attempt as sent, so its outcome is always `unapplied`.
 */
export type InTime = <E, A>(
  run: (attempt: Attempt) => Promise<Either<E | Unavailable, A>>,
) => TaskEither<E | Unavailable, A>

/** Each operation connects first, which costs nothing once a connection has been made. */
export const inTimeAfter =
  (connect: () => Promise<unknown>): InTime =>
  run =>
  () =>
    new Promise(resolve => {
      const attempt = new Attempt()
      const giveUp = (cause: unknown) => resolve(left(unavailable(attempt.outcome, cause)))
      const timer = setTimeout(() => {
        attempt.end()
        giveUp(new Error(`no answer from the database within ${deadlineMs} ms`))
      }, deadlineMs)
      connect()
        .then(() => (attempt.isOver() ? undefined : run(attempt).then(resolve)))
        .catch(giveUp)
        .finally(() => clearTimeout(timer))
    })

import { type Unavailable, unavailable } from '@snippets/domain/errors.js'
import { type Either, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { ClientSession, MongoClient } from 'mongodb'

/** Every operation is answered within this time from its arrival, whatever the driver is doing. */
const patienceMs = 2000

/** How long the database itself may work at one read. */
export const maxTimeMS = 1500

/** One caller's write: what may have become of it so far, and whether its caller has been answered without it. */
export type Attempt = { outcome: Unavailable['outcome']; over: boolean }

export type Attempts = Readonly<{
  /** A write. What throws, or takes too long, is `Unavailable` with the outcome that the attempt has at that moment. */
  writing: <E, A>(run: (attempt: Attempt) => Promise<Either<E | Unavailable, A>>) => TaskEither<E | Unavailable, A>
  /** A read: nothing of it is ever applied. */
  reading: <E, A>(run: (attempt: Attempt) => Promise<Either<E | Unavailable, A>>) => TaskEither<E | Unavailable, A>
}>

/** Each operation connects first, which is nothing once that has succeeded. */
export const attemptsAfter = (connect: () => Promise<unknown>): Attempts => {
  const writing: Attempts['writing'] = run => () =>
    new Promise(resolve => {
      const attempt: Attempt = { outcome: 'unapplied', over: false }
      const giveUp = (cause: unknown) => resolve(left(unavailable(attempt.outcome, cause)))
      const timer = setTimeout(() => {
        attempt.over = true
        giveUp(new Error(`no answer from the database within ${patienceMs} ms`))
      }, patienceMs)
      connect()
        .then(() => (attempt.over ? undefined : run(attempt).then(resolve)))
        .catch(giveUp)
        .finally(() => clearTimeout(timer))
    })
  return { writing, reading: writing }
}

const never = 0

/**
 * Hands a write to the driver on behalf of these attempts. The driver may retry, and its last error need not tell that
 * an earlier try went out; but it notes in the session when it sends, so a session without that note was never sent.
 */
export const handOver = async <A>(
  client: MongoClient,
  attempts: readonly Attempt[],
  send: (session: ClientSession) => Promise<A>,
): Promise<A> => {
  const session = client.startSession({ causalConsistency: false })
  session.serverSession.lastUse = never
  mark(attempts, 'unknown')
  try {
    return await send(session)
  } catch (error) {
    if (session.serverSession.lastUse === never) mark(attempts, 'unapplied')
    throw error
  } finally {
    await session.endSession()
  }
}

export const mark = (attempts: readonly Attempt[], outcome: Attempt['outcome']): void => {
  for (const attempt of attempts) attempt.outcome = outcome
}

import { type Unavailable, unavailable } from '@snippets/domain/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Attempt, budgetMs, busyBudgetMs } from './attempt.js'
import { Deadlines } from './deadlines.js'
import { withoutRow } from './refused-row.js'

/** How long the database may work on one read. The driver's sockets wait longer, or else it would send the read again. */
export const maxTimeMS = 1200

/** Less than the HTTP server handles at a time, so that no request waits there for an operation whose time has not begun. */
const maxAtATime = 2000

/** With this many operations under way, each gets less time. */
const busyFrom = 500

/** How long one more operation may take. Undefined where there are too many. */
export const budgetBeside = (others: number): number | undefined => {
  if (others >= maxAtATime) return undefined
  return others < busyFrom ? budgetMs : busyBudgetMs
}

/**
 * Runs an operation within the deadline. One that throws, or takes too long, is `Unavailable` with the outcome that its
 * attempt has by then. A read sends no write, so its outcome is always `unapplied`.
 */
export type InTime = <E, A>(
  run: (attempt: Attempt) => Promise<E.Either<E | Unavailable, A>>,
) => TaskEither<E | Unavailable, A>

/** Made once: a stack costs more than the rest of a refusal. */
export const tooManyWait = new Error('not sent: too many operations wait for the database')

export const storageClosed = new Error('not sent: the storage is closed')

const refused = E.left(unavailable('unapplied', tooManyWait))

type OnResult = (result: E.Either<unknown, unknown>) => void

const refuse = async (onResult: OnResult): Promise<typeof refused> => {
  onResult(refused)
  return refused
}

/** Each operation connects first, which costs nothing once a connection has been made. */
export const inTimeAfter =
  (connect: () => Promise<unknown>, onResult: OnResult = () => {}, deadlines = new Deadlines()): InTime =>
  <E, A>(run: (attempt: Attempt) => Promise<E.Either<E | Unavailable, A>>): TaskEither<E | Unavailable, A> =>
  () => {
    deadlines.check()
    const budget = budgetBeside(deadlines.size)
    if (budget === undefined) return refuse(onResult)
    return new Promise(resolve => {
      const attempt = new Attempt(budget)
      const answer = (resultOf: () => E.Either<E | Unavailable, A>): void => {
        if (attempt.isOver()) return
        cancel()
        attempt.end()
        const result = resultOf()
        onResult(result)
        resolve(result)
      }
      const giveUp = (cause: unknown): void => answer(() => E.left(unavailable(attempt.outcome, withoutRow(cause))))
      const cancel = deadlines.add(budget, () => giveUp(new Error(`no answer from the database within ${budget} ms`)))
      const work = async (): Promise<void> => {
        await connect()
        if (attempt.isOver()) return
        const result = await run(attempt)
        answer(() => result)
      }
      work().catch(giveUp)
    })
  }

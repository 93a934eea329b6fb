import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Runs a synchronous step. Nothing else runs in between, so the step is atomic. */
export const inOneStep =
  <E, A>(step: () => E.Either<E, A>): TaskEither<E, A> =>
  () =>
    Promise.resolve(step())

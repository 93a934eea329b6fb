import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Lifecycle } from './lifecycle.js'

/**
 * Checks whether the service can take requests. Left is the reason for the operator. A full storage is ready, because
 * reads and deletes still work.
 */
export const readiness = (
  opening: Promise<Pick<Storage, 'check' | 'prepared'>>,
  state: Lifecycle['state'],
): TaskEither<string, void> => {
  let isPrepared = false
  opening
    .then(({ prepared }) => prepared)
    .then(
      () => {
        isPrepared = true
      },
      () => {},
    )
  return async (): Promise<E.Either<string, void>> => {
    // while the service starts, the storage may be opening
    if (state() !== 'serving') return E.left(`The service is ${state()}.`)
    const answer = await (await opening).check()
    if (E.isLeft(answer)) return E.left('The storage does not answer, or rejects writes: the log has the cause.')
    return isPrepared ? answer : E.left('The storage is being prepared.')
  }
}

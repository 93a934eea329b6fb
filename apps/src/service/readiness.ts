import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Returns the storage if it is ready. A full storage is ready, because reads and deletes still work. */
export const readinessOf =
  (servedStorage: IOEither<string, Storage>): TaskEither<string, Storage> =>
  async () => {
    const storage = servedStorage()
    if (E.isLeft(storage)) return storage
    const { check, whenPrepared } = storage.right
    if (E.isLeft(await check())) return E.left('The storage does not answer, or rejects writes: the log has the cause.')
    const isPrepared = await Promise.race([whenPrepared().then(() => true), nextTurn(false)])
    return isPrepared ? storage : E.left('The storage is being prepared.')
  }

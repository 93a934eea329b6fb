import { type KeyInUse, keyInUse } from '@snippets/domain/ports/errors.js'
import type { RetryKey } from '@snippets/domain/ports/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/**
 * Refuses a creation whose key another one has under way: from when that is handed to the storage until the storage has
 * answered, whatever it answers. Between processes the storage decides, as it does about every key that is not under way.
 */
export const oneAtATime = <Input, E, A>(
  create: (input: Input, retry: RetryKey) => TaskEither<E, A>,
): ((input: Input, retry: RetryKey) => TaskEither<E | KeyInUse, A>) => {
  const underWay = new Set<string>()
  return (input, retry) => async () => {
    if (underWay.has(retry.key)) return E.left(keyInUse)
    underWay.add(retry.key)
    try {
      return await create(input, retry)()
    } finally {
      underWay.delete(retry.key)
    }
  }
}

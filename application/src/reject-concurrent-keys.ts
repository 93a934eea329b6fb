import { type KeyInUse, keyInUse } from '@snippets/domain/ports/errors.js'
import type { RetryKey } from '@snippets/domain/ports/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/**
 * Rejects a creation while another creation with the same key is in flight in this process. The storage handles concurrent
 * creations in other processes, and keys of earlier creations.
 */
export const rejectConcurrentKeys = <Input, E, A>(
  create: (input: Input, retry: RetryKey) => TaskEither<E, A>,
): ((input: Input, retry: RetryKey) => TaskEither<E | KeyInUse, A>) => {
  const inFlight = new Set<string>()
  return (input, retry) => async () => {
    if (inFlight.has(retry.key)) return E.left(keyInUse)
    inFlight.add(retry.key)
    try {
      return await create(input, retry)()
    } finally {
      inFlight.delete(retry.key)
    }
  }
}

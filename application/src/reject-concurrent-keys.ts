import { type KeyInUse, keyInUse } from '@snippets/domain/ports/errors.js'
import type { IdempotencyKey } from '@snippets/domain/ports/idempotency-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/**
 * Rejects a creation while another creation with the same key is in flight in this process. The storage handles
 * concurrent creations in other processes, and keys of earlier creations.
 */
export const rejectConcurrentKeys = <Input, Err, A>(
  create: (input: Input, idempotencyKey: IdempotencyKey) => TaskEither<Err, A>,
): ((input: Input, idempotencyKey: IdempotencyKey) => TaskEither<Err | KeyInUse, A>) => {
  const inFlight = new Set<string>()
  return (input, idempotencyKey) => async () => {
    if (inFlight.has(idempotencyKey.key)) return E.left(keyInUse)
    inFlight.add(idempotencyKey.key)
    try {
      return await create(input, idempotencyKey)()
    } finally {
      inFlight.delete(idempotencyKey.key)
    }
  }
}

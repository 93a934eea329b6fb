import { createHash } from 'node:crypto'
import type { IdempotencyKey } from '@snippets/domain/ports/idempotency-key.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { badRequest } from '../response/problems.js'
import type { RequestReader } from './reader.js'

/** Visible ASCII. Node.js joins repeated headers with a comma and a space, which the pattern rejects. */
const wellFormed = /^[!-~]{1,255}$/

const malformed = badRequest(
  'An Idempotency-Key must be 1 to 255 visible ASCII characters, and must be sent only once.',
)

/** Reads the key of a request. Each token has its own keys, so the name of the token follows the key after a space. */
export const idempotencyKey: RequestReader<O.Option<string>> = {
  read: ({ req: { headers }, state }) => {
    const key = headers['idempotency-key']
    if (key === undefined) return E.right(O.none)
    if (typeof key !== 'string' || !wellFormed.test(key)) return E.left(malformed)
    const { tokenName } = state
    return E.right(O.some(tokenName !== undefined ? `${key} ${tokenName}` : key))
  },
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes the request safe to retry. Within a day, a request with the same key and fields creates nothing and gets the first 201 again, even if the snippet was changed or deleted. Other responses keep no key. While a request is in progress, another with its key is rejected. Quotation marks are part of the key.',
      schema: { type: 'string', pattern: wellFormed.source },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    },
  ],
}

/**
 * Adds a fingerprint of the decoded content to a key. White space, the order of fields and unknown fields do not change
 * it. Storages keep it across upgrades, so it is independent of the order in which fields are defined.
 */
export const withFingerprint = (key: O.Option<string>, content: object): O.Option<IdempotencyKey> =>
  pipe(
    key,
    O.map(key => {
      const fields = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
      return { key, fingerprint: createHash('sha256').update(JSON.stringify(fields)).digest('hex') }
    }),
  )

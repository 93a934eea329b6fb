import { createHash } from 'node:crypto'
import type { KeyedContent } from '@snippets/domain/entities/idempotency-key.js'
import { toJson } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeBadRequest } from '../formats/problems.js'
import type { RequestReader } from './reader.js'

/** Visible ASCII. Node.js joins repeated headers with a comma and a space, which the pattern rejects. */
const wellFormed = /^[!-~]{1,255}$/

/** Reads the Idempotency-Key. Returns a function that adds the fingerprint of the content. */
export const idempotencyKeyReader: RequestReader<(content: object) => O.Option<KeyedContent>> = {
  read: ({ req: { headers }, state: { tokenName } }) => {
    const given = headers['idempotency-key']
    if (given === undefined) return E.right(() => O.none)
    if (typeof given !== 'string' || !wellFormed.test(given)) return E.left(malformed)
    // each token has its own keys
    const key = tokenName === undefined ? given : `${given} ${tokenName}`
    return E.right(content => O.some({ key, fingerprint: fingerprintOf(content) }))
  },
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes the request safe to retry. Within a day, a request with the same key and fields creates nothing and gets the first 201 again, even if the item was changed or deleted. After a 201, other fields with the key get 422; after a 5xx they may. While a request is in progress, another with its key may get 409. Quotation marks are part of the key.',
      schema: { type: 'string', pattern: wellFormed.source },
    },
  ],
  problems: ['bad-request', 'idempotency-key-in-use', 'idempotency-key-reused'],
}

const malformed = makeBadRequest(
  'An Idempotency-Key must be 1 to 255 visible ASCII characters, and must be sent only once.',
)

/**
 * Returns the fingerprint of decoded content. White space, the order of fields and unknown fields do not change it.
 * Storages keep it across upgrades, so it is independent of the order in which fields are defined.
 */
export const fingerprintOf = (content: object): string => {
  const fields = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(toJson(fields)).digest('hex')
}

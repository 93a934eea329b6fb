import { createHash } from 'node:crypto'
import type { RetryKey } from '@snippets/domain/ports/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { badRequest } from '../answer/problems.js'
import type { RequestReader } from './reader.js'

/** Visible ASCII. Node.js joins repeated headers with a comma and a space, so the pattern rejects them. */
const wellFormed = /^[!-~]{1,255}$/

const malformed = badRequest('An Idempotency-Key must be 1 to 255 visible ASCII characters, and may come only once.')

/** The key of a request that may be sent again. The keys of a token are its own; no key and no token name has a space. */
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
        'Makes the request safe to repeat: within a day, the same key with the same body creates nothing more and gets the first answer again. While a request is under way, another with its key is refused. The key is taken as it is sent: quotation marks are a part of it.',
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    },
  ],
}

/**
 * The fingerprint is of what the body says, not of its bytes: spaces, order and unknown fields do not count. Storages keep it
 * across upgrades, so it does not depend on the order in which fields are defined.
 */
export const retryKey = (key: O.Option<string>, content: object): O.Option<RetryKey> =>
  pipe(
    key,
    O.map(key => {
      const fields = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
      return { key, fingerprint: createHash('sha256').update(JSON.stringify(fields)).digest('hex') }
    }),
  )

import { createHash } from 'node:crypto'
import type { IdempotencyKey } from '@snippets/domain/entities/idempotency-key.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import { badRequest, type Problem } from '../response/problems.js'
import type { RequestReader } from './reader.js'

/** Visible ASCII. Node.js joins repeated headers with a comma and a space, which the pattern rejects. */
const wellFormed = /^[!-~]{1,255}$/

/** Reads the content of a creation, and the key that makes it safe to retry. */
export const creationOf = <Content extends object>({
  read,
  ...content
}: RequestReader<Content>): RequestReader<Readonly<{ content: Content; key: O.Option<IdempotencyKey> }>> => ({
  ...content,
  read: ctx => {
    const content = read(ctx)
    if (E.isLeft(content)) return content
    const key = keyOf(ctx, content.right)
    return E.isLeft(key) ? key : E.right({ content: content.right, key: key.right })
  },
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes the request safe to retry. Within a day, a request with the same key and fields creates nothing and gets the first 201 again, even if the item was changed or deleted. The key stays bound to these fields after a 201, perhaps after a 5xx, and never after a 4xx. While a request is in progress, another with its key may be rejected. Quotation marks are part of the key.',
      schema: { type: 'string', pattern: wellFormed.source },
    },
  ],
  problems: [...(content.problems ?? []), 'idempotency-key-in-use', 'idempotency-key-reused'],
})

/** Returns the key of a request. Each token has its own keys, so the name of the token follows the key after a space. */
const keyOf = (
  { req: { headers }, state: { tokenName } }: Context,
  content: object,
): E.Either<Problem, O.Option<IdempotencyKey>> => {
  const given = headers['idempotency-key']
  if (given === undefined) return E.right(O.none)
  if (typeof given !== 'string' || !wellFormed.test(given))
    return E.left(
      badRequest('An Idempotency-Key must be 1 to 255 visible ASCII characters, and must be sent only once.'),
    )
  const key = tokenName === undefined ? given : `${given} ${tokenName}`
  return E.right(O.some({ key, fingerprint: fingerprintOf(content) }))
}

/**
 * Returns the fingerprint of decoded content. White space, the order of fields and unknown fields do not change it.
 * Storages keep it across upgrades, so it is independent of the order in which fields are defined.
 */
export const fingerprintOf = (content: object): string => {
  const fields = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

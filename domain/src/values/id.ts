import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { codec, type Reason } from './codec.js'

declare const validId: unique symbol

/** A positive 64-bit signed integer. Only the functions of this file make an id. */
export type Id = bigint & { readonly [validId]: 'Id' }

export const maxId = 2n ** 63n - 1n

export const makeId = (value: bigint): O.Option<Id> => (value >= 1n && value <= maxId ? O.some(value as Id) : O.none)

const canonical = /^[1-9][0-9]{0,18}$/

/** Parses a canonical decimal id. Rejects `01`, `+1`, `1.0` and 2^63. */
export const parseId = (text: string): O.Option<Id> => (canonical.test(text) ? makeId(BigInt(text)) : O.none)

const notAnId: Reason = { code: 'type', message: 'must be an id' }

export const idCodec = codec<Id>('id', value =>
  typeof value === 'bigint' && O.isSome(makeId(value)) ? undefined : notAnId,
)

/** The codec of an id as a JSON string, because most JSON parsers round large numbers. */
export const idString = new t.Type<Id, string, unknown>(
  'id',
  idCodec.is,
  (value, context) =>
    pipe(
      typeof value === 'string' ? parseId(value) : O.none,
      O.match(() => t.failure(value, context), t.success),
    ),
  String,
)

/** Returns JSON text. Bigints become texts, because most JSON parsers round large numbers. */
export const toJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    // slower, so only for values that need it
    return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  }
}

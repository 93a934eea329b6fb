import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { codec, type Reason } from './codec.js'

declare const valid: unique symbol

/** A positive 64-bit signed integer. Only `idFrom` and `parseId` make one. */
export type Id = bigint & { readonly [valid]: 'Id' }

export const maxId = 2n ** 63n - 1n

export const idFrom = (value: bigint): O.Option<Id> => (value >= 1n && value <= maxId ? O.some(value as Id) : O.none)

const canonical = /^[1-9][0-9]{0,18}$/

/** Parses a canonical decimal id. Rejects `01`, `+1`, `1.0` and 2^63. */
export const parseId = (text: string): O.Option<Id> => (canonical.test(text) ? idFrom(BigInt(text)) : O.none)

/** An id as a text, where JSON has it: most programs change the digits of a long number. */
export const idText = codec(
  'id',
  (value): E.Either<Reason, Id> =>
    pipe(
      parseId(typeof value === 'string' ? value : ''),
      E.fromOption(() => ({ code: 'id', message: 'must be an id' })),
    ),
)

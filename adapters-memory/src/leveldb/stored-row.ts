import type { IdempotencyRecord } from '@snippets/domain/entities/idempotency-key.js'
import { snippetCodec, snippetFields } from '@snippets/domain/entities/snippet.js'
import { userCodec } from '@snippets/domain/entities/user.js'
import type { Row } from '@snippets/domain/ports/row-store.js'
import { faultsOf } from '@snippets/domain/values/codec.js'
import { idString, makeId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** An idempotency key with its record. */
type StoredIdempotencyKey = Readonly<{ key: string; record: IdempotencyRecord }>

/** A row of the data directory: a user, a snippet or an idempotency key. */
export type StoredRow = Row | Readonly<{ kind: 'idempotency-key'; row: StoredIdempotencyKey }>

/** The first character of a database key is the kind of its row. Rows are read in this order. */
const prefixes = { user: '1', snippet: '2', idempotencyKey: '3' } as const

/** Returns the database key of a row. Ids are padded to the same number of digits, because keys sort as texts. */
export const rowKey = (kind: Row['kind'], id: bigint): string => prefixes[kind] + String(id).padStart(19, '0')
export const idempotencyRowKey = (key: string): string => prefixes.idempotencyKey + key

/** Encodes a row without its id, which is in the database key. */
export const encodeRow = ({ id: _, ...fields }: Row['row']): string => JSON.stringify(fields)
export const encodeIdempotencyRow = ({ id, ...fields }: IdempotencyRecord): string =>
  JSON.stringify({ ...fields, id: String(id) })

const idempotencyCodec = t.strict({ id: idString, created_at: snippetFields.created_at, fingerprint: t.string })

/** Decodes a row. Left names the row and its malformed fields, never their values. */
export const decodeRow = (databaseKey: string, text: string): E.Either<string, StoredRow> => {
  const suffix = databaseKey.slice(1)
  switch (databaseKey[0]) {
    case prefixes.idempotencyKey:
      return pipe(
        decode('an idempotency key', idempotencyCodec, text),
        E.map(record => ({ kind: 'idempotency-key', row: { key: suffix, record } })),
      )
    case prefixes.snippet:
      return decodeWithId('snippet', snippetCodec, suffix, text)
    case prefixes.user:
      return decodeWithId('user', userCodec, suffix, text)
    default:
      return E.left('a row of an unknown kind')
  }
}

const decodeWithId = <Kind extends Row['kind'], A>(
  kind: Kind,
  decoder: t.Decoder<unknown, A>,
  digits: string,
  text: string,
) =>
  pipe(
    /^\d{19}$/.test(digits) ? makeId(BigInt(digits)) : O.none,
    E.fromOption(() => `a row of kind ${kind} with a malformed id`),
    E.chain(id =>
      pipe(
        decode(`${kind} ${id}`, decoder, text),
        E.map(fields => ({ kind, row: { ...fields, id } })),
      ),
    ),
  )

const decode = <A>(name: string, decoder: t.Decoder<unknown, A>, text: string): E.Either<string, A> =>
  pipe(
    parse(text),
    E.mapLeft(() => `${name} with malformed JSON`),
    E.chain(stored =>
      pipe(
        decoder.decode(stored),
        E.mapLeft(errors => faultsOf(errors).map(fault => fault.name)),
        E.mapLeft(names => `${name} with a malformed ${names.join(', ')}`),
      ),
    ),
  )

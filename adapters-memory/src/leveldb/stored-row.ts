import type { IdempotencyRecord } from '@snippets/domain/entities/idempotency-key.js'
import { decodeRow, type Row, type RowKind } from '@snippets/domain/entities/row.js'
import { snippetFields } from '@snippets/domain/entities/snippet.js'
import { reasonsOf } from '@snippets/domain/values/codec.js'
import { idString, makeId, toJson } from '@snippets/domain/values/id.js'
import { namesOf } from '@snippets/domain/values/record.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

type StoredIdempotencyKey = Readonly<{ key: string; record: IdempotencyRecord }>

/** A row of the data directory: a user, a snippet or an idempotency key. */
export type StoredRow = Row | Readonly<{ kind: 'idempotency-key'; entity: StoredIdempotencyKey }>

/** The first character of a database key is the kind of its row. Rows are read in this order. */
const prefixes: Readonly<Record<StoredRow['kind'], string>> = { user: '1', snippet: '2', 'idempotency-key': '3' }
const kinds = namesOf(prefixes)

/** Returns the database key of a row. Ids are padded to the same number of digits, because keys sort as texts. */
export const rowKey = (kind: RowKind, id: bigint): string => prefixes[kind] + String(id).padStart(19, '0')
export const idempotencyRowKey = (key: string): string => prefixes['idempotency-key'] + key

/** Encodes a row without its id, which is in the database key. */
export const encodeRow = ({ id: _, ...fields }: Row['entity']): string => toJson(fields)
export const encodeIdempotencyRow = ({ id, ...fields }: IdempotencyRecord): string =>
  toJson({ ...fields, id: String(id) })

const idempotencyCodec = t.strict({ id: idString, created_at: snippetFields.created_at, fingerprint: t.string })

/** Decodes a row. Left names the row and its malformed fields, never their values. */
export const decodeStoredRow = (databaseKey: string, text: string): E.Either<string, StoredRow> => {
  const kind = kinds.find(name => prefixes[name] === databaseKey[0])
  const suffix = databaseKey.slice(1)
  if (kind === undefined) return E.left('a row of an unknown kind')
  if (kind === 'idempotency-key')
    return pipe(
      decodeText('an idempotency key', text, idempotencyCodec.decode),
      E.map(record => ({ kind, entity: { key: suffix, record } })),
    )
  return pipe(
    /^\d{19}$/.test(suffix) ? makeId(BigInt(suffix)) : O.none,
    E.fromOption(() => `a row of kind ${kind} with a malformed id`),
    E.chain(id => decodeText(`${kind} ${id}`, text, fields => decodeRow(kind, id, fields))),
  )
}

const decodeText = <A>(name: string, text: string, decode: t.Decode<unknown, A>): E.Either<string, A> =>
  pipe(
    parse(text),
    E.mapLeft(() => `${name} with malformed JSON`),
    E.chain(stored =>
      pipe(
        decode(stored),
        E.mapLeft(errors => reasonsOf(errors).map(({ name }) => name)),
        E.mapLeft(names => `${name} with a malformed ${names.join(', ')}`),
      ),
    ),
  )

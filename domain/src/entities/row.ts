import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import type { Id } from '../values/id.js'
import { snippetCodec } from './snippet.js'
import { userCodec } from './user.js'

/** The codec of each kind of row, without its id. Storages, backups and transfers hold the kinds in this order. */
export const rowCodecs = { user: userCodec, snippet: snippetCodec } as const

export type RowKind = keyof typeof rowCodecs

type Fields = { readonly [K in RowKind]: t.TypeOf<(typeof rowCodecs)[K]> }

/** A stored user or snippet, with all its fields. */
export type Row<K extends RowKind = RowKind> = {
  readonly [P in K]: Readonly<{ kind: P; entity: Readonly<Fields[P] & { id: Id }> }>
}[K]

const decoders: { readonly [K in RowKind]: t.Decoder<unknown, Fields[K]> } = rowCodecs

export const decodeRow = <K extends RowKind>(kind: K, id: Id, fields: unknown): t.Validation<Row<K>> =>
  pipe(
    decoders[kind].decode(fields),
    E.map(decoded => ({ kind, entity: { ...decoded, id } })),
  )

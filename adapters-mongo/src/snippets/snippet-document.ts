import { type Snippet, snippetCodec, snippetFields } from '@snippets/domain/entities/snippet.js'
import { decodeWith } from '@snippets/remote-storage/decode-rows.js'
import type * as t from 'io-ts'
import { type Collection, type Db, type Filter, Long } from 'mongodb'
import { decodeRaw } from '../collections/raw-rows.js'
import { type Int64, readDate, readInt64 } from '../collections/stored-values.js'

type Fields = typeof snippetFields

/** A stored snippet. Times are dates, and `idempotency_key` is the key of the creation. */
export type SnippetDocument = Readonly<{ _id: Int64; idempotency_key?: string }> & {
  readonly [F in keyof Fields]: Fields[F] extends Readonly<{ isInstant: true }> ? Date : t.OutputOf<Fields[F]>
}

export type SnippetFilter = Filter<SnippetDocument>

export const snippetsIn = (db: Db): Collection<SnippetDocument> => db.collection('snippets')

type Codecs = Readonly<Record<string, t.Mixed>>

/** Converts a value of a snippet to the value in its document. */
export const storedValue = (field: string, value: unknown, codecs: Codecs = snippetFields): unknown =>
  'isInstant' in (codecs[field] ?? {}) && typeof value === 'number' ? new Date(value) : value

const readValue = (codec: t.Mixed, stored: unknown): unknown => {
  if ('isInstant' in codec) return readDate(stored)
  if (!Long.isLong(stored)) return stored
  const value = stored.toBigInt()
  return codec.is(value) ? codec.encode(value) : stored.toNumber()
}

/** Converts the fields of a document to values that their codecs decode. */
export const readFields = (stored: Readonly<Record<string, unknown>>, codecs: Codecs = snippetFields) =>
  Object.fromEntries(Object.entries(codecs).map(([field, codec]) => [field, readValue(codec, stored[field])]))

const decodeFields = decodeWith(snippetCodec)

export const decodeSnippet = decodeRaw<Snippet>(snippetCodec, ({ _id, ...fields }) =>
  decodeFields({ ...readFields(fields), id: readInt64(_id) }),
)

export const makeSnippetDocument = ({ id, created_at, ...fields }: Snippet, key?: string) => ({
  _id: id,
  ...fields,
  created_at: new Date(created_at),
  ...(key !== undefined && { idempotency_key: key }),
})

import { type Snippet, snippetCodec, snippetFields } from '@snippets/domain/entities/snippet.js'
import { type Decode, decodeWith } from '@snippets/remote-storage/decode-rows.js'
import type * as t from 'io-ts'
import { type Collection, type Db, type Filter, Long } from 'mongodb'
import { decodeRaw, type Int64, readDate, readInt64 } from '../collections/stored-values.js'

type Fields = typeof snippetFields

/** A stored snippet. Times are dates, and `idempotency_key` is the key of the creation. */
export type SnippetDocument = Readonly<{ _id: Int64; idempotency_key?: string }> & StoredFields

type StoredFields = {
  readonly [F in keyof Fields]: Fields[F] extends Readonly<{ isInstant: true }> ? Date : t.OutputOf<Fields[F]>
}

export type SnippetFilter = Filter<SnippetDocument>

export const snippetsIn = (db: Db): Collection<SnippetDocument> => db.collection('snippets')

type Codecs = Readonly<Record<string, t.Mixed>>

const isInstant = (codec: t.Mixed | undefined): boolean => codec !== undefined && 'isInstant' in codec

/** Converts a value of a snippet to the value in its document. */
export const storedValue = (field: string, value: unknown, codecs: Codecs = snippetFields): unknown =>
  isInstant(codecs[field]) && typeof value === 'number' ? new Date(value) : value

const readValue = (codec: t.Mixed, stored: unknown): unknown => {
  if (isInstant(codec)) return readDate(stored)
  if (!Long.isLong(stored)) return stored
  const value = stored.toBigInt()
  return codec.is(value) ? codec.encode(value) : stored.toNumber()
}

/** Converts the fields of a document to values that their codecs decode. */
export const readFields = (stored: Readonly<Record<string, unknown>>, codecs: Codecs = snippetFields) =>
  Object.fromEntries(Object.entries(codecs).map(([field, codec]) => [field, readValue(codec, stored[field])]))

const decodeFields = decodeWith(snippetCodec)

export const decodeDocument: Decode<Snippet> = ({ _id, ...fields }) =>
  decodeFields({ ...readFields(fields), id: readInt64(_id) })

export const decodeSnippet = decodeRaw(snippetCodec, decodeDocument)

const storedFields = (fields: object): StoredFields =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, storedValue(field, value)])) as StoredFields

export const makeSnippetDocument = ({ id, ...fields }: Snippet, key?: string) => ({
  _id: id,
  ...storedFields(fields),
  ...(key !== undefined && { idempotency_key: key }),
})

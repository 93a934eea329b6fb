import { type Snippet, snippetCodec, type snippetFields } from '@snippets/domain/entities/snippet.js'
import { type Decode, decodeWith } from '@snippets/remote-storage/decode-rows.js'
import type * as t from 'io-ts'
import { type Collection, type Db, type Filter, Long } from 'mongodb'
import { decodeRaw } from '../collections/raw-rows.js'
import { type Int64, readDate, readInt64 } from '../collections/stored-values.js'

type Fields = typeof snippetFields

/** A stored snippet. `created_at` is a date, and `idempotency_key` is the key of the creation. */
export type SnippetDocument = Readonly<{ _id: Int64; idempotency_key?: string }> & {
  readonly [F in keyof Fields]: F extends 'created_at' ? Date : t.OutputOf<Fields[F]>
}

export type SnippetFilter = Filter<SnippetDocument>

export const snippetsIn = (db: Db): Collection<SnippetDocument> => db.collection('snippets')

/** Converts a value of a snippet to the value in its document. */
export const storedValue = (field: string, value: unknown): unknown =>
  field === 'created_at' && typeof value === 'number' ? new Date(value) : value

const readValue = (field: string, stored: unknown): unknown => {
  if (field === 'created_at') return readDate(stored)
  return Long.isLong(stored) ? stored.toNumber() : stored
}

const decodeFields = decodeWith(snippetCodec)

export const decodeDocument: Decode<Snippet> = ({ _id, ...fields }) =>
  decodeFields({
    ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, readValue(field, value)])),
    id: readInt64(_id),
  })

export const decodeSnippet = decodeRaw(snippetCodec, decodeDocument)

export const makeSnippetDocument = ({ id, created_at, ...fields }: Snippet, key?: string) => ({
  _id: id,
  ...fields,
  created_at: new Date(created_at),
  ...(key !== undefined && { idempotency_key: key }),
})

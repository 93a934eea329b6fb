import { type Snippet, snippetCodec, type snippetFields } from '@snippets/domain/entities/snippet.js'
import type * as t from 'io-ts'
import type { Collection, Db, Filter } from 'mongodb'
import { decodeRaw } from '../collections/raw-rows.js'
import type { Int64 } from '../collections/stored-values.js'

type Fields = typeof snippetFields

/** A stored snippet. Times are dates, and `idempotency_key` is the key of the creation. */
export type SnippetDocument = Readonly<{ _id: Int64; idempotency_key?: string }> & {
  readonly [F in keyof Fields]: Fields[F] extends Readonly<{ isInstant: true }> ? Date : t.OutputOf<Fields[F]>
}

export type SnippetFilter = Filter<SnippetDocument>

export const snippetDocumentsIn = (db: Db): Collection<SnippetDocument> => db.collection('snippets')

export const decodeSnippet = decodeRaw(snippetCodec)

export const makeSnippetDocument = ({ id, created_at, ...fields }: Snippet, key?: string) => ({
  _id: id,
  ...fields,
  created_at: new Date(created_at),
  ...(key !== undefined && { idempotency_key: key }),
})

import { codec, type Reason } from '@snippets/domain/codec.js'
import { contentFields, type Instant } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith, documentCodec, malformed, storedId } from '../documents/document-codec.js'

const storedDate = codec(
  'date',
  (stored): E.Either<Reason, Instant> =>
    stored instanceof Date && !Number.isNaN(stored.getTime()) ? E.right(stored.getTime()) : E.left(malformed),
  (instant): Date => new Date(instant),
)

/** The driver writes a small whole number as an int32, which MongoDB makes an int64 when it grows past 2^31. */
const storedVersion = codec('version', (stored): E.Either<Reason, number> => {
  const version = typeof stored === 'bigint' ? Number(stored) : stored
  return typeof version === 'number' && Number.isSafeInteger(version) && version >= 1
    ? E.right(version)
    : E.left(malformed)
})

const fields = { id: storedId, ...contentFields, created_at: storedDate, version: storedVersion }

export const snippetDocument = documentCodec(t.strict(fields, 'snippet'))

export type SnippetDocument = Readonly<t.OutputOf<typeof snippetDocument>>

export const decodeSnippet = decodeWith(snippetDocument, fields)

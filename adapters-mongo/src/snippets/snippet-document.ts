import { type Snippet, snippetFields } from '@snippets/domain/entities/snippet.js'
import * as t from 'io-ts'
import { decodeWith, storedId } from '../documents/document-codec.js'

type Fields = Omit<Snippet, 'id'>

/** A snippet's id is stored as `_id`, its times as dates, and all else as it is. */
export type SnippetDocument = Readonly<{ _id: bigint }> & {
  readonly [F in keyof Fields]: F extends `${string}_at` ? Date : Fields[F] extends string ? string : Fields[F]
}

const isTime = (field: string): boolean => field.endsWith('_at')

/** A date without a number becomes NaN, which is no time. A number past 2^31 is read as a bigint. */
const read = (field: string, stored: unknown): unknown => {
  if (isTime(field)) return stored instanceof Date ? stored.getTime() : Number.NaN
  return typeof stored === 'bigint' ? Number(stored) : stored
}

/** A value of a snippet as its document holds it. */
export const storedValue = (field: string, value: string | number | bigint | undefined): unknown =>
  isTime(field) && typeof value === 'number' ? new Date(value) : value

const decodeField = (name: string, field: t.Mixed): t.Mixed =>
  new t.Type(field.name, field.is, (stored, context) => field.validate(read(name, stored), context), t.identity)

// the fields of a snippet, each decoded from what is stored
const storedFields = Object.fromEntries(
  Object.entries(snippetFields).map(([name, field]) => [name, decodeField(name, field)]),
) as typeof snippetFields

export const decodeSnippet = decodeWith<Snippet>(t.strict({ id: storedId, ...storedFields }, 'snippet'))

export const snippetDocument = ({ id, ...fields }: Snippet): SnippetDocument => {
  const stored = Object.entries(fields).map(([name, value]) => [name, storedValue(name, value)])
  return { _id: id, ...Object.fromEntries(stored) }
}

import { type Snippet, snippetFields, storedSnippet } from '@snippets/domain/entities/snippet.js'
import { namesOf } from '@snippets/domain/values/record.js'
import type * as t from 'io-ts'
import { type Decode, decodeWith } from '../documents/document-codec.js'

type Fields = typeof snippetFields

/** A snippet's id is stored as `_id`, its times as dates, and all else as it is. */
export type SnippetDocument = Readonly<{ _id: bigint }> & {
  readonly [F in keyof Fields]: Fields[F] extends { isTime: true } ? Date : t.OutputOf<Fields[F]>
}

const times: readonly string[] = namesOf(snippetFields).filter(field => 'isTime' in snippetFields[field])

const isTime = (field: string): boolean => times.includes(field)

/** A value of a snippet as its document holds it. */
export const storedValue = (field: string, value: unknown): unknown =>
  isTime(field) && typeof value === 'number' ? new Date(value) : value

/** A date without a number becomes NaN, which is no time. A number past 2^31 is read as a bigint. */
const readValue = (field: string, stored: unknown): unknown => {
  if (isTime(field)) return stored instanceof Date ? stored.getTime() : Number.NaN
  return typeof stored === 'bigint' ? Number(stored) : stored
}

const mapValues = (fields: object, map: (field: string, value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, map(field, value)]))

const decodeFields = decodeWith(storedSnippet)

export const decodeSnippet: Decode<Snippet> = ({ _id, ...fields }) =>
  decodeFields({ _id, ...mapValues(fields, readValue) })

/** Some fields of a snippet, as its document holds them. */
export const storedFields = (fields: Partial<Omit<Snippet, 'id'>>): Partial<SnippetDocument> =>
  mapValues(fields, storedValue)

export const snippetDocument = ({ id, ...fields }: Snippet): SnippetDocument =>
  ({ _id: id, ...storedFields(fields) }) as SnippetDocument

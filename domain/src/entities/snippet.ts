import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { codec, partialDecoder } from '../values/codec.js'
import type { Id } from '../values/id.js'
import { namesOf, recordOf } from '../values/record.js'
import { text } from '../values/text.js'

/** The fields with one text as their value. Filters and searches work on these. */
export const textFields = {
  title: text('title', { min: 1, max: 100 }, 'Hello'),
  code: text('code', { min: 1, max: 10_000 }, 'print("hello")'),
  language: text('language', { min: 1, max: 50 }, 'python'),
} as const

export type TextField = keyof typeof textFields

/** The fields that an author writes. Codecs, limits, JSON Schemas and stored documents derive from this record. */
export const contentFields = { ...textFields } as const

export type ContentField = keyof typeof contentFields

export const contentFieldNames = namesOf(contentFields)

/** A codec that drops unknown fields, so that a client can send a snippet as it received it. */
export const contentCodec = t.strict(contentFields, 'content')

/** Decodes the fields to change, and drops unknown fields. */
export const changesDecoder = partialDecoder('changes', contentFields)

export const exampleContent = recordOf(contentFieldNames, field => contentFields[field].schema.examples[0])

export type Content = Readonly<t.TypeOf<typeof contentCodec>>
/** The new values of fields. An update keeps the fields that are missing or `undefined`. */
export type Changes = Readonly<{ [F in ContentField]?: Content[F] | undefined }>

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

const wholeNumber = (name: string, min: number, max: number) =>
  codec<number>(name, value =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? O.none
      : O.some({ code: 'type', message: `${name} must be a whole number from ${min} to ${max}` }),
  )

/** RFC 3339 writes a year in four digits. */
export const minInstant: Instant = Date.parse('0000-01-01T00:00:00.000Z')
export const maxInstant: Instant = Date.parse('9999-12-31T23:59:59.999Z')

const time = (name: string) => Object.assign(wholeNumber(name, minInstant, maxInstant), { isTime: true as const })

/** The fields that a storage stores under the id of a snippet. */
export const snippetFields = {
  ...contentFields,
  created_at: time('created_at'),
  version: wholeNumber('version', 1, Number.MAX_SAFE_INTEGER),
} as const

type TimeField = {
  [F in keyof typeof snippetFields]: (typeof snippetFields)[F] extends { isTime: true } ? F : never
}[keyof typeof snippetFields]

/** The names of the time fields, which the service sets. */
export const timeFieldNames = namesOf(snippetFields).filter(
  (field): field is TimeField => 'isTime' in snippetFields[field],
)

/** The codec of a stored snippet without its id. MUST accept rows of all storages and all older service versions. */
export const snippetCodec = t.strict(snippetFields, 'snippet')

/** A snippet before the storage has given it an id. */
export type Draft = Content & Readonly<{ created_at: Instant }>

/** An immutable snippet. `version` starts at 1, and each write makes a new value with the next version. */
export type Snippet = Readonly<t.TypeOf<typeof snippetCodec> & { id: Id }>

export const draftOf = (content: Content, created_at: Instant): Draft => ({ ...content, created_at })

export const firstVersion = (id: Id, draft: Draft): Snippet => ({ ...draft, id, version: 1 })

/** Returns the next version of a snippet, or None after the largest version. */
export const applyChanges = (snippet: Snippet, changes: Changes): O.Option<Snippet> =>
  snippet.version < Number.MAX_SAFE_INTEGER
    ? O.some({ ...snippet, ...definedChanges(changes), version: snippet.version + 1 })
    : O.none

/** Only the type has an effect: the compiler names a field of `Changes` that `contentFields` lacks. */
const changeableFields: Readonly<Record<keyof Changes, unknown>> = contentFields

/** Returns the changes without the fields that are `undefined`. */
export const definedChanges = (changes: Changes): Partial<Content> =>
  Object.fromEntries(
    namesOf(changeableFields).flatMap(field => (changes[field] === undefined ? [] : [[field, changes[field]]])),
  )

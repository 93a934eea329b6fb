import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { codec } from '../values/codec.js'
import type { Id } from '../values/id.js'
import { makeRecord, namesOf } from '../values/record.js'
import { textField } from '../values/text.js'

/** The fields that an author writes. Codecs, limits, schemas and stored documents derive from this record. */
export const contentFields = {
  title: textField('title', { min: 1, max: 100 }, 'Hello'),
  code: textField('code', { min: 1, max: 10_000 }, 'print("hello")'),
  language: textField('language', { min: 1, max: 50 }, 'python'),
} as const

export type ContentField = keyof typeof contentFields

export const contentFieldNames = namesOf(contentFields)

/** A codec that drops unknown fields, so that a client can send a snippet as it received it. */
export const contentCodec = t.strict(contentFields, 'content')

/** A codec of the fields to change. */
export const changesCodec = t.exact(t.partial(contentFields, 'changes'), 'changes')

export const exampleContent = makeRecord(contentFieldNames, field => contentFields[field].example)

export type Content = Readonly<t.TypeOf<typeof contentCodec>>

/** The new values of fields. An update keeps the fields that are missing. */
export type Changes = Readonly<t.TypeOf<typeof changesCodec>>

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

const boundedInteger = (name: string, min: number, max: number) =>
  codec<number>(name, value =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? O.none
      : O.some({ code: 'type', message: `${name} must be a whole number from ${min} to ${max}` }),
  )

/** RFC 3339 writes a year in four digits. */
const minInstant: Instant = Date.parse('0000-01-01T00:00:00.000Z')
const maxInstant: Instant = Date.parse('9999-12-31T23:59:59.999Z')

/** The codec of a time. By `isInstant`, storages convert its values to dates of their own. */
export const instantField = (name: string) =>
  Object.assign(boundedInteger(name, minInstant, maxInstant), { isInstant: true as const })

/** The fields that a storage stores under the id of a snippet. */
export const snippetFields = {
  ...contentFields,
  created_at: instantField('created_at'),
  version: boundedInteger('version', 1, Number.MAX_SAFE_INTEGER),
} as const

/** The codec of a stored snippet without its id. MUST accept rows of all storages and all older service versions. */
export const snippetCodec = t.strict(snippetFields, 'snippet')

/** A snippet before the storage has given it an id. */
export type Draft = Content & Readonly<{ created_at: Instant }>

/** An immutable snippet. `version` starts at 1, and each write makes a new value with the next version. */
export type Snippet = Readonly<t.TypeOf<typeof snippetCodec> & { id: Id }>

export const firstVersion = (id: Id, draft: Draft): Snippet => ({ id, version: 1, ...draft })

/** Returns the next version of a snippet. */
export const applyChanges = (snippet: Snippet, changes: Changes): Snippet => ({
  ...snippet,
  ...changes,
  version: snippet.version + 1,
})

import * as t from 'io-ts'
import type { Id } from '../values/id.js'
import { makeRecord, namesOf } from '../values/record.js'
import { textField } from '../values/text.js'
import { type Instant, revisionFields } from './revision.js'

/** The fields that a client writes. Codecs, limits, schemas and stored documents derive from this record. */
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

/** The fields that a storage stores under the id of a snippet. */
export const snippetFields = {
  ...contentFields,
  ...revisionFields,
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

import * as t from 'io-ts'
import type { Id } from './id.js'
import { text } from './text.js'

/** The fields that an author writes. Codecs, limits, schemas, documents and tables are all derived from here. */
export const contentFields = {
  title: text('title', { min: 1, max: 100 }, 'Hello'),
  code: text('code', { min: 1, max: 10_000 }, 'print("hello")'),
  language: text('language', { min: 1, max: 50 }, 'python'),
} as const

export type ContentField = keyof typeof contentFields

export const contentFieldNames = Object.keys(contentFields) as readonly ContentField[]

/** Drops every other field, so that a snippet that was read can be written back. */
export const contentCodec = t.strict(contentFields)

export type Content = Readonly<t.TypeOf<typeof contentCodec>>

/** The fields to change. A field that is `undefined` is a field that is not named. */
export type Changes = Readonly<{ [F in ContentField]?: Content[F] | undefined }>

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

/** A snippet before the storage has given it an id. */
export type Draft = Content & Readonly<{ created_at: Instant }>

/** `version` starts at 1 and grows by 1 with each write. Snippets are immutable: a write makes a new value. */
export type Snippet = Draft & Readonly<{ id: Id; version: number }>

/** The changes without the fields that are undefined. */
export const namedChanges = (changes: Changes): Partial<Content> =>
  Object.fromEntries(
    contentFieldNames.flatMap(field => (changes[field] === undefined ? [] : [[field, changes[field]]])),
  )

export const applyChanges = (snippet: Snippet, changes: Changes): Snippet => ({
  ...snippet,
  ...namedChanges(changes),
  version: snippet.version + 1,
})

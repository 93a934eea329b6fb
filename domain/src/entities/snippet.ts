import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { codec, partialDecoder } from '../values/codec.js'
import type { Id } from '../values/id.js'
import { namesOf, recordOf } from '../values/record.js'
import { text } from '../values/text.js'

/** The fields that are one text. Only these can be filtered and searched by their text. */
export const textFields = {
  title: text('title', { min: 1, max: 100 }, 'Hello'),
  code: text('code', { min: 1, max: 10_000 }, 'print("hello")'),
  language: text('language', { min: 1, max: 50 }, 'python'),
} as const

export type TextField = keyof typeof textFields

/** The fields that an author writes. Codecs, limits, schemas, documents and tables are all derived from here. */
export const contentFields = { ...textFields } as const

export type ContentField = keyof typeof contentFields

export const contentFieldNames = namesOf(contentFields)

/** Drops every other field, so that a snippet that was read can be written back. */
export const contentCodec = t.strict(contentFields, 'content')

/** The fields to change. It drops every other field too. */
export const changesDecoder = partialDecoder('changes', contentFields)

export const exampleContent = recordOf(contentFieldNames, field => contentFields[field].schema.examples[0])

export type Content = Readonly<t.TypeOf<typeof contentCodec>>
/** A field that is `undefined` is not changed. */
export type Changes = Readonly<{ [F in ContentField]?: Content[F] | undefined }>

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

const wholeNumber = (name: string, min: number, max: number) =>
  codec<number>(name, value =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? O.none
      : O.some({ code: 'type', message: `${name} must be a whole number from ${min} to ${max}` }),
  )

/** The largest time that a Date can have. */
const lastInstant = 8.64e15

const time = (name: string) => Object.assign(wholeNumber(name, -lastInstant, lastInstant), { isTime: true as const })

/** All that a storage keeps of a snippet under its id. */
export const snippetFields = {
  ...contentFields,
  created_at: time('created_at'),
  version: wholeNumber('version', 1, Number.MAX_SAFE_INTEGER),
} as const

type TimeField = {
  [F in keyof typeof snippetFields]: (typeof snippetFields)[F] extends { isTime: true } ? F : never
}[keyof typeof snippetFields]

/** The times that the service sets, in the order of their fields. */
export const timeFieldNames = namesOf(snippetFields).filter(
  (field): field is TimeField => 'isTime' in snippetFields[field],
)

/** Decodes a row of any storage, whatever version of the service stored it. */
export const storedSnippet = t.strict(snippetFields, 'snippet')

/** A snippet before the storage has given it an id. */
export type Draft = Content & Readonly<{ created_at: Instant }>

/** `version` starts at 1 and grows by 1 with each write. Snippets are immutable: a write makes a new value. */
export type Snippet = Readonly<t.TypeOf<typeof storedSnippet> & { id: Id }>

export const draftOf = (content: Content, created_at: Instant): Draft => ({ ...content, created_at })

export const firstVersion = (id: Id, draft: Draft): Snippet => ({ ...draft, id, version: 1 })

export const applyChanges = (snippet: Snippet, changes: Changes): Snippet => ({
  ...snippet,
  ...namedChanges(changes),
  version: snippet.version + 1,
})

const changeable: Readonly<Record<keyof Changes, unknown>> = contentFields

/** The fields that are to be changed, and no others. */
export const namedChanges = (changes: Changes): Partial<Content> =>
  Object.fromEntries(
    namesOf(changeable).flatMap(field => (changes[field] === undefined ? [] : [[field, changes[field]]])),
  )

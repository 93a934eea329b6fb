import { contentFieldNames, contentFields, exampleContent, type Snippet } from '@snippets/domain/entities/snippet.js'
import { recordOf } from '@snippets/domain/values/record.js'
import { exactObjectOf, idSchema, type Schema } from '../json-schema.js'
import type { Answer, Shown } from './answer.js'
import { plainText } from './answer.js'
import { entityTag } from './entity-tag.js'
import type { Representation } from './representation.js'

/** JSON.stringify throws on a bigint, whose digits are JSON as they are. */
export const snippetJson = (snippet: Snippet): string => {
  let text = `{"id":${snippet.id}`
  for (const field of contentFieldNames) text += `,"${field}":${JSON.stringify(snippet[field])}`
  return `${text},"created_at":"${new Date(snippet.created_at).toISOString()}"}`
}

/** In characters. Past it everything is forgotten: what is read often is soon known again. */
const maxRemembered = 16 * 1024 * 1024
let remembered = new WeakMap<Snippet, Shown>()
let rememberedLength = 0

/** Snippets are immutable, so the JSON of one is the same at each reading. */
const show = (snippet: Snippet): Shown => {
  const known = remembered.get(snippet)
  if (known !== undefined) return known
  const made = { json: snippetJson(snippet), etag: entityTag(snippet) }
  rememberedLength += made.json.length
  if (rememberedLength > maxRemembered) {
    remembered = new WeakMap()
    rememberedLength = made.json.length
  }
  remembered.set(snippet, made)
  return made
}

/** The schema of each field that an author writes. */
export const contentSchemas = recordOf(contentFieldNames, (field): Schema => contentFields[field].schema)

export const snippetRepresentation: Representation<Snippet> = {
  name: 'Snippet',
  schema: exactObjectOf({ id: idSchema, ...contentSchemas, created_at: { type: 'string', format: 'date-time' } }),
  example: { id: 1, ...exampleContent, created_at: '2026-01-02T03:04:05.678Z' },
  isTagged: true,
  show,
}

/** What others wrote is text in a browser: nothing of it runs, and it loads nothing. */
const sandbox = "sandbox; default-src 'none'"

/** The code alone, as it was written. Its URL is its own, so it can share the entity tag of the snippet. */
export const rawCode = (snippet: Snippet): Answer => ({
  status: 200,
  headers: { 'Content-Type': plainText, 'Content-Security-Policy': sandbox, ETag: entityTag(snippet) },
  body: snippet.code,
})

export const rawCodeHeaders: Readonly<Record<string, Schema>> = {
  'Content-Security-Policy': {
    description: 'Keeps a browser from running the code.',
    required: true,
    schema: { const: sandbox },
  },
}

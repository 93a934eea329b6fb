import { contentFieldNames, contentFields, type Snippet } from '@snippets/domain/snippet.js'
import type { Shown } from './answer.js'
import { entityTag } from './entity-tag.js'
import { exactObjectOf, idSchema, type Schema } from './json-schema.js'
import type { WritableRepresentation } from './representation.js'
import { timestampOf } from './timestamp.js'

const contentKeys = contentFieldNames.map(field => ({ field, key: `,"${field}":` }))

/** JSON.stringify throws on a bigint, whose digits are JSON as they are. */
const snippetJson = (snippet: Snippet): string => {
  let text = `{"id":${snippet.id}`
  for (const { field, key } of contentKeys) text += key + JSON.stringify(snippet[field])
  return `${text},"created_at":"${timestampOf(snippet.created_at)}"}`
}

const remembered = new WeakMap<Snippet, Shown>()

/** Snippets are immutable, so the JSON of one is made once and kept as long as the storage keeps the snippet. */
const showSnippet = (snippet: Snippet): Shown => {
  const known = remembered.get(snippet)
  if (known !== undefined) return known
  const made = showWritten(snippet)
  if (isWorthKeeping(made, snippet) && flatten(made.json)) remembered.set(snippet, made)
  return made
}

/**
 * The JSON of a snippet is remembered when it is first read. Remembering it when it is written took about a tenth of a creation, as
 * it is more for the garbage collector to move, and nearly doubled the memory of what nobody reads.
 */
const showWritten = (snippet: Snippet): Shown => ({ json: snippetJson(snippet), etag: entityTag(snippet) })

/** Remembers nothing more, as a long list shows every snippet that there is. */
export const jsonInLongList = (snippet: Snippet): string => remembered.get(snippet)?.json ?? snippetJson(snippet)

/**
 * V8 keeps a sum of strings as a tree of its parts until a character of it is read. A list of 100 such trees takes a fifth
 * longer each time, and they take more memory. Always true, so that the call is not left out as useless.
 */
const flatten = (text: string): boolean => text.charCodeAt(0) > 0

/** Control characters become six times as long in JSON. A storage in memory allows for texts half as long again. */
const isWorthKeeping = ({ json }: Shown, snippet: Snippet): boolean =>
  json.length <= 200 + 1.5 * contentFieldNames.reduce((length, field) => length + snippet[field].length, 0)

/** The schema of each field that an author writes, with a note on how its length counts. */
export const contentSchemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  contentFieldNames.map(field => [
    field,
    { ...contentFields[field].schema, description: 'Kept as it is. Its length counts code points.' },
  ]),
)

export const exampleContent = Object.fromEntries(
  contentFieldNames.map(field => [field, contentFields[field].schema.examples[0]]),
)

export const snippetRepresentation: WritableRepresentation<Snippet> = {
  name: 'Snippet',
  schema: exactObjectOf({ id: idSchema, ...contentSchemas, created_at: { type: 'string', format: 'date-time' } }),
  example: { id: 1, ...exampleContent, created_at: '2026-01-02T03:04:05.678Z' },
  isTagged: true,
  show: showSnippet,
  showWritten,
}

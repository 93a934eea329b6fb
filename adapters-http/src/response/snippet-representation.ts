import { contentFieldNames, contentFields, exampleContent, type Snippet } from '@snippets/domain/entities/snippet.js'
import { toJson } from '@snippets/domain/values/id.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import { entityTagOf } from '../formats/entity-tag.js'
import { constantHeader, idSchema, objectSchema, type Schema } from '../formats/openapi-objects.js'
import { memoizeRender } from './memoized-render.js'
import { type HttpResponse, plainTextType, type Representation } from './response.js'

/** Renders JSON by hand, because `JSON.stringify` throws on the bigint id. */
export const snippetJson = (snippet: Snippet): string =>
  // `join` makes a flat text: V8 would traverse the parts of any other concatenation again for each page
  [
    `{"id":${snippet.id}`,
    ...contentFieldNames.map(field => `"${field}":${toJson(snippet[field])}`),
    `"created_at":"${new Date(snippet.created_at).toISOString()}"}`,
  ].join(',')

/** The schema of each field that a client writes. */
export const contentSchemas = makeRecord(contentFieldNames, (field): Schema => {
  const { limits, example } = contentFields[field]
  return {
    type: 'string',
    minLength: limits.min,
    maxLength: limits.max,
    examples: [example],
    description: 'Stored unchanged. The length counts code points.',
  }
})

export const exampleSnippet = { id: 1, ...exampleContent, created_at: '2026-01-02T03:04:05.678Z' }

export const snippetRepresentation: Representation<Snippet> = {
  name: 'Snippet',
  schema: objectSchema('A snippet.', {
    id: { ...idSchema, description: 'Assigned by the service from 1 upwards, and never reused.' },
    ...contentSchemas,
    created_at: { type: 'string', format: 'date-time', description: 'Set by the service, in UTC with milliseconds.' },
  }),
  example: exampleSnippet,
  // one memo for the process, so that both families and all clients share the texts
  render: memoizeRender(snippet => ({ json: snippetJson(snippet), etag: entityTagOf(snippet) })),
}

/** Describes the body of `makeCodeResponse`. */
export const codeBody = {
  name: 'SnippetCode',
  mediaTypes: [plainTextType],
  schema: contentSchemas.code,
  example: exampleContent.code,
}

/** Forbids browsers to run scripts in the code or to load resources. */
const sandbox = "sandbox; default-src 'none'"

/** Returns the code only. The code has its own URL, so it can have the same entity tag as the snippet. */
export const makeCodeResponse = (snippet: Snippet): HttpResponse => ({
  status: 200,
  headers: { 'Content-Type': plainTextType, 'Content-Security-Policy': sandbox, ETag: entityTagOf(snippet) },
  body: snippet.code,
})

export const codeHeaders = {
  'Content-Security-Policy': constantHeader('Keeps a browser from running the code.', sandbox),
}

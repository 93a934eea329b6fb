import type { Snippet } from '@snippets/domain/snippet.js'
import type { Answer } from './answer.js'
import { entityTag } from './entity-tag.js'
import type { Schema } from './json-schema.js'
import { plainText } from './media-types.js'

/** What others wrote is text in a browser: nothing of it runs, and it loads nothing. */
const sandbox = "sandbox; default-src 'none'"

/** The code alone, as it was written. Its URL is its own, so it can share the entity tag of the snippet. */
export const codeOf = (snippet: Snippet): Answer => ({
  status: 200,
  headers: { 'Content-Type': plainText, 'Content-Security-Policy': sandbox, ETag: entityTag(snippet) },
  body: snippet.code,
})

export const codeHeaders: Readonly<Record<string, Schema>> = {
  'Content-Security-Policy': {
    description: 'Keeps a browser from running the code.',
    required: true,
    schema: { const: sandbox },
  },
}

import {
  type Changes,
  type Content,
  changesCodec,
  contentCodec,
  contentFieldNames,
  contentFields,
} from '@snippets/domain/entities/snippet.js'
import { json, mergePatch } from '../answer/answer.js'
import { contentSchemas, exampleContent } from '../answer/snippet-representation.js'
import { objectOf } from '../json-schema.js'
import { jsonBody } from './json-body.js'
import type { Reader } from './reader.js'

/** Enough for every valid snippet, also when all characters are escaped, each as two units of six bytes. */
export const leastMaxBodyBytes = contentFieldNames.reduce(
  (bytes, field) => bytes + 12 * contentFields[field].limits.max,
  1024,
)

export type SnippetBodies = Readonly<{ content: Reader<Content>; changes: Reader<Changes> }>

/** The bodies with which snippets are written. */
export const snippetBodies = (maxBytes: number): SnippetBodies => ({
  content: jsonBody(contentCodec, {
    name: 'SnippetContent',
    schema: objectOf(contentSchemas),
    example: exampleContent,
    mediaTypes: [json],
    maxBytes,
  }),
  // a merge patch (RFC 7396) of fields that cannot be removed
  changes: jsonBody(changesCodec, {
    name: 'SnippetChanges',
    schema: objectOf(contentSchemas, []),
    example: Object.fromEntries(Object.entries(exampleContent).slice(0, 1)),
    mediaTypes: [json, mergePatch],
    maxBytes,
  }),
})

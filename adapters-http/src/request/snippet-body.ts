import { type Changes, type Content, changesCodec, contentCodec } from '@snippets/domain/snippet.js'
import { objectOf } from '../answer/json-schema.js'
import { json, mergePatch } from '../answer/media-types.js'
import { contentSchemas, exampleContent } from '../answer/snippet-representation.js'
import { jsonBody } from './json-body.js'

const contentBody = (maxBytes: number) =>
  jsonBody<Content>(contentCodec, {
    name: 'SnippetContent',
    schema: objectOf(contentSchemas),
    example: exampleContent,
    mediaTypes: [json],
    maxBytes,
  })

/** A merge patch (RFC 7396) of fields that cannot be removed. */
const changesBody = (maxBytes: number) =>
  jsonBody<Changes>(changesCodec, {
    name: 'SnippetChanges',
    schema: objectOf(contentSchemas, []),
    example: Object.fromEntries(Object.entries(exampleContent).slice(0, 1)),
    mediaTypes: [json, mergePatch],
    maxBytes,
  })

/** The bodies with which snippets are written. */
export const snippetBodies = (maxBytes: number) => ({ content: contentBody(maxBytes), changes: changesBody(maxBytes) })

export type SnippetBodies = ReturnType<typeof snippetBodies>

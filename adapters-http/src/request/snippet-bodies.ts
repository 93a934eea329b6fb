import {
  type Changes,
  type Content,
  changesCodec,
  contentCodec,
  contentFieldNames,
  contentFields,
  exampleContent,
} from '@snippets/domain/entities/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import { objectSchema } from '../openapi-objects.js'
import { json, mergePatch } from '../response/response.js'
import { contentSchemas } from '../response/snippet-representation.js'
import { decodeBody, requireWritableField } from './decode-body.js'
import { jsonBody } from './json-body.js'
import type { BodyLimits } from './read-body.js'
import type { RequestReader } from './reader.js'

/** The maximum length of a snippet in JSON, with 1 KiB for the field names. The body limit must not be lower. */
export const maxSnippetJsonBytes = contentFieldNames.reduce(
  (bytes, field) => bytes + contentFields[field].maxJsonBytes,
  1024,
)

const requireWritable = requireWritableField(contentFieldNames)

export type SnippetBodies = Readonly<{ content: RequestReader<Content>; changes: RequestReader<Changes> }>

/** Creates the readers of the bodies of POST, PUT and PATCH. */
export const snippetBodies = (limits: BodyLimits): SnippetBodies => ({
  content: jsonBody(decodeBody(contentCodec), {
    name: 'SnippetContent',
    schema: objectSchema('The fields that a client writes.', contentSchemas),
    example: exampleContent,
    mediaTypes: [json],
    limits,
  }),
  // a merge patch (RFC 7396). Null would remove a field; every field is required, so null is invalid
  changes: jsonBody(flow(requireWritable, E.chain(decodeBody(changesCodec))), {
    name: 'SnippetChanges',
    schema: objectSchema('The fields to change.', contentSchemas, []),
    example: Object.fromEntries(Object.entries(exampleContent).slice(0, 1)),
    mediaTypes: [json, mergePatch],
    limits,
  }),
})

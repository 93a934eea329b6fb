import { changesCodec, contentCodec, contentFieldNames, exampleContent } from '@snippets/domain/entities/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import { objectSchema } from '../openapi-objects.js'
import { json, mergePatch } from '../response/response.js'
import { contentSchemas } from '../response/snippet-representation.js'
import { decodeBody, jsonBody, requireWritableField } from './json-body.js'

/** Reads the body of POST and PUT. */
export const contentBody = jsonBody(decodeBody(contentCodec), {
  name: 'SnippetContent',
  schema: objectSchema('The fields that a client writes.', contentSchemas),
  example: exampleContent,
})

/** Reads the body of PATCH, a merge patch (RFC 7396). Null would remove a required field, so null is invalid. */
export const changesBody = jsonBody(flow(requireWritableField(contentFieldNames), E.chain(decodeBody(changesCodec))), {
  name: 'SnippetChanges',
  schema: objectSchema('The fields to change.', contentSchemas, []),
  example: Object.fromEntries(Object.entries(exampleContent).slice(0, 1)),
  mediaTypes: [json, mergePatch],
})

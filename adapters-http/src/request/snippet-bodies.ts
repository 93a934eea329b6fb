import { changesCodec, contentCodec, contentFieldNames, exampleContent } from '@snippets/domain/entities/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import { makeValidationProblem, type Problem, shownName } from '../response/problems.js'
import { jsonType } from '../response/response.js'
import { contentSchemas, exampleSnippet } from '../response/snippet-representation.js'
import { createJsonBodyReader, decodeBody, type JsonObject } from './json-body.js'

const schema = { type: 'object', properties: contentSchemas }

/** The maximum number of unknown fields in a detail. */
const maxUnknown = 10

/** Names the unknown fields of a body that lacks a field, because one of them may be the field, misspelt. */
const nameUnknownFields =
  (body: JsonObject) =>
  (problem: Problem): Problem => {
    const lacksField = problem.errors?.some(({ code }) => code === 'required')
    const unknown = Object.keys(body).filter(name => !Object.hasOwn(exampleSnippet, name))
    if (!lacksField || unknown.length === 0) return problem
    const names = unknown.slice(0, maxUnknown).map(shownName)
    return { ...problem, detail: `${problem.detail}; unknown and ignored: ${names.join(', ')}` }
  }

/** Reads the body of POST and PUT. */
export const contentReader = createJsonBodyReader(
  body => pipe(body, decodeBody(contentCodec), E.mapLeft(nameUnknownFields(body))),
  {
    name: 'SnippetContent',
    schema: { ...schema, required: contentFieldNames, description: 'The fields that a client writes.' },
    example: exampleContent,
  },
)

const message = `a PATCH can change ${contentFieldNames.join(', ')}; the body has none of them`

/** Rejects a body that has names but no writable field, because the names are probably misspelt. */
const requireWritableField = E.fromPredicate(
  (body: JsonObject) => Object.keys(body).length === 0 || contentFieldNames.some(field => Object.hasOwn(body, field)),
  () => makeValidationProblem('invalid-body', [{ name: 'body', reason: { code: 'unknown', message } }]),
)

/** Reads the body of PATCH, a merge patch (RFC 7396). Null would remove a required field, so null is invalid. */
export const changesReader = createJsonBodyReader(flow(requireWritableField, E.chain(decodeBody(changesCodec))), {
  name: 'SnippetChanges',
  schema: { ...schema, description: 'The fields to change.' },
  example: Object.fromEntries(Object.entries(exampleContent).slice(0, 1)),
  mediaTypes: [jsonType, 'application/merge-patch+json'],
})

import { changesCodec, contentCodec, contentFieldNames, exampleContent } from '@snippets/domain/entities/snippet.js'
import { reasonsOf } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import type { ReaderEither } from 'fp-ts/lib/ReaderEither.js'
import type * as t from 'io-ts'
import type { BodyDescription } from '../formats/openapi-objects.js'
import { makeValidationProblem, type Problem, type RequestReason, shownName } from '../formats/problems.js'
import { jsonType } from '../response/response.js'
import { contentSchemas, exampleSnippet } from '../response/snippet-representation.js'
import type { RequestReader } from './reader.js'

type JsonObject = Readonly<Record<string, unknown>>

/** Returns a reader of a JSON object. */
const createJsonBodyReader = <A>(
  decode: ReaderEither<JsonObject, Problem, A>,
  body: BodyDescription,
): RequestReader<A> => ({
  read: (_, bytes) => {
    const object = parseObject(bytes)
    return E.isLeft(object) ? object : decode(object.right)
  },
  body,
  problems: ['bad-request', 'malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
})

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const malformedBody = (code: RequestReason['code'], message: string): Problem =>
  makeValidationProblem('malformed-body', [{ name: 'body', code, message }])

export const notJson = malformedBody('json', 'The body is not valid JSON')

/** Ignores a byte order mark, as parsers may do (RFC 8259, 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses an object. JSON.parse makes `__proto__` an own property, which codecs ignore like any unknown field. */
const parseObject = (bytes: Buffer): E.Either<Problem, JsonObject> => {
  if (bytes.length === 0) return E.left(malformedBody('json', 'The body is empty; send a JSON object'))
  const text = E.tryCatch(
    () => utf8.decode(bytes),
    () => malformedBody('encoding', 'The body is not UTF-8'),
  )
  if (E.isLeft(text)) return text
  try {
    const value: unknown = JSON.parse(text.right)
    return isObject(value) ? E.right(value) : E.left(malformedBody('type', 'The body must be a JSON object'))
  } catch {
    return E.left(notJson)
  }
}

export const decodeBody = <A>(codec: t.Decoder<unknown, A>): ReaderEither<JsonObject, Problem, A> =>
  flow(
    codec.decode,
    E.mapLeft(errors => makeValidationProblem('invalid-body', reasonsOf(errors))),
  )

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
  () => makeValidationProblem('invalid-body', [{ name: 'body', code: 'unknown', message }]),
)

/** Reads the body of PATCH, a merge patch (RFC 7396). Null would remove a required field, so null is invalid. */
export const changesReader = createJsonBodyReader(flow(requireWritableField, E.chain(decodeBody(changesCodec))), {
  name: 'SnippetChanges',
  schema: { ...schema, description: 'The fields to change.' },
  example: Object.fromEntries(Object.entries(exampleContent).slice(0, 1)),
  mediaTypes: [jsonType, 'application/merge-patch+json'],
})

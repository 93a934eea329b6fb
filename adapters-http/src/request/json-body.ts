import { isUtf8 } from 'node:buffer'
import { faultsOf } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import type { ReaderEither } from 'fp-ts/lib/ReaderEither.js'
import type * as t from 'io-ts'
import type { BodyDescription } from '../openapi-objects.js'
import { makeValidationProblem, type Problem, type RequestReason } from '../response/problems.js'
import type { RequestReader } from './reader.js'

export type JsonObject = Readonly<Record<string, unknown>>

/** Returns a reader of a JSON object, from the bytes that the router has put into `state.body`. */
export const createJsonBodyReader = <A>(
  decode: ReaderEither<JsonObject, Problem, A>,
  body: BodyDescription,
): RequestReader<A> => ({
  read: ({ state }) => {
    const object = parseObject(state.body)
    return E.isLeft(object) ? object : decode(object.right)
  },
  body,
  problems: ['bad-request', 'malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
})

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const malformedBody = (code: RequestReason['code'], message: string): Problem =>
  makeValidationProblem('malformed-body', [{ name: 'body', reason: { code, message } }])

export const notJson = malformedBody('json', 'The body is not valid JSON')

/** Parses an object. JSON.parse makes `__proto__` an own property, which codecs ignore like any unknown field. */
const parseObject = (bytes: Buffer | undefined): E.Either<Problem, JsonObject> => {
  if (!bytes?.length) return E.left(malformedBody('json', 'The body is empty; send a JSON object'))
  if (!isUtf8(bytes)) return E.left(malformedBody('encoding', 'The body is not UTF-8'))
  try {
    // parsers may ignore a byte order mark (RFC 8259, 8.1)
    const value: unknown = JSON.parse(bytes.toString().replace(/^\ufeff/, ''))
    return isObject(value) ? E.right(value) : E.left(malformedBody('type', 'The body must be a JSON object'))
  } catch {
    return E.left(notJson)
  }
}

export const decodeBody = <A>(codec: t.Decoder<unknown, A>): ReaderEither<JsonObject, Problem, A> =>
  flow(
    codec.decode,
    E.mapLeft(errors => makeValidationProblem('invalid-body', faultsOf(errors))),
  )

import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { malformedBody, type Problem } from '../response/problems.js'
import { checkContentType } from './content-type.js'
import type { DecodeBody } from './decode-body.js'
import { type BodyLimits, bodyReader } from './read-body.js'
import type { BodyDescription, RequestReader } from './reader.js'

type JsonBodyOptions = Omit<BodyDescription, 'maxBytes'> & Readonly<{ limits: BodyLimits }>

/** Returns a reader of a JSON object. */
export const jsonBody = <A>(decode: DecodeBody<A>, { limits, ...body }: JsonBodyOptions): RequestReader<A> => {
  const readBody = bodyReader(limits)
  const decodeBytes = flow(parseObject, E.chain(decode))
  return {
    read: ctx =>
      pipe(
        TE.fromEither(checkContentType(ctx, body.mediaTypes)),
        TE.chain(() => readBody(ctx)),
        TE.chainEitherK(decodeBytes),
      ),
    body: { ...body, maxBytes: limits.maxBytes },
    problems: ['malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
  }
}

/** JSON.parse makes `__proto__` an own property, which the codecs ignore like any unknown field. */
const parseObject = (bytes: Buffer): E.Either<Problem, Readonly<Record<string, unknown>>> => {
  if (!isUtf8(bytes)) return E.left(notUtf8)
  return pipe(
    parse(bytes.toString().replace(byteOrderMark, '')),
    E.mapLeft(() => notJson),
    E.filterOrElse(isObject, () => notAnObject),
  )
}

/** Parsers may ignore it (RFC 8259, 8.1). */
const byteOrderMark = /^\ufeff/

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const notUtf8 = malformedBody('encoding', 'The body is not UTF-8')
export const notJson = malformedBody('json', 'The body is not valid JSON')
const notAnObject = malformedBody('type', 'The body must be a JSON object')

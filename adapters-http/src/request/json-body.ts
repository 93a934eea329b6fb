import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { RouterContext } from '@koa/router'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { json } from '../answer/media-types.js'
import { malformedBody, type Problem, problem } from '../answer/problems.js'
import { decodeBody } from './faults.js'
import { isTooDeep, maxLevels } from './json-depth.js'
import { jsonFault } from './json-fault.js'
import { parsed } from './json-parser.js'
import type { BodyDescription, Reader } from './reader.js'
import { wholeBody } from './whole-body.js'

export const defaultMaxBodyBytes = 256 * 1024

/**
 * koa-bodyparser parses. What it would accept is refused before it (other types, content encodings, bytes that are not UTF-8,
 * which it replaces, deep nesting) and after it (JSON that is not an object).
 */
export const jsonBody = <A>(codec: t.Decoder<unknown, A>, body: BodyDescription): Reader<A> => {
  const bodyTooLarge = problem('body-too-large', { detail: `A body may have at most ${body.maxBytes} bytes.` })
  const refuseByHeaders = headerCheck(body, bodyTooLarge)
  return {
    read: async ctx => {
      const refused = refuseByHeaders(ctx)
      if (refused !== undefined) return left(refused)
      const object = await readObject(ctx, { maxBytes: body.maxBytes, bodyTooLarge })
      return isLeft(object) ? object : decodeBody(codec, object.right)
    },
    body,
    problems: ['malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
  }
}

type Limit = Readonly<{ maxBytes: number; bodyTooLarge: Problem }>

const readObject = async (ctx: RouterContext, { maxBytes, bodyTooLarge }: Limit): Promise<Either<Problem, object>> => {
  // middleware before the routes may have parsed it
  if (ctx.request.body !== undefined) return objectIn(ctx.request.body)
  if (ctx.req.headers.expect !== undefined) ctx.res.writeContinue()
  const bytes = await wholeBody(ctx.req, maxBytes)
  if (bytes === 'too large') return left(bodyTooLarge)
  // the client has left, so nobody will read this
  if (bytes === 'incomplete') return left(incomplete)
  if (!isUtf8(bytes)) return left(notUtf8)
  if (isTooDeep(bytes)) return left(tooDeep)
  try {
    ctx.request.body = await parsed(bytes)
    return objectIn(ctx.request.body)
  } catch (error) {
    if (error instanceof SyntaxError) return left(notJson(bytes))
    throw error
  }
}

const objectIn = (value: unknown): Either<Problem, object> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? right(value) : left(noObject)

const incomplete = malformedBody('incomplete', 'the body ended early')

const noObject = malformedBody('type', 'the body must be a JSON object')

const tooDeep = malformedBody('depth', `the body nests deeper than ${maxLevels} levels`)

const notUtf8 = malformedBody('encoding', 'the body is not UTF-8')

/** Finding a fault in more than this would keep other requests waiting. */
const maxBytesToSearch = 64 * 1024

/** Says where, and quotes nothing. */
const notJson = (bytes: Buffer): Problem => {
  // like the parser, a TextDecoder drops a byte order mark
  const fault = bytes.length > maxBytesToSearch ? undefined : jsonFault(new TextDecoder().decode(bytes))
  if (fault === undefined) return malformedBody('json', 'the body is not valid JSON')
  const place = `line ${fault.line}, column ${fault.column}`
  return malformedBody(
    'json',
    `the body is not valid JSON: ${fault.isAtEnd ? 'it ends too early, at' : 'see'} ${place}`,
  )
}

const headerCheck =
  ({ mediaTypes, maxBytes }: BodyDescription, bodyTooLarge: Problem) =>
  ({ req }: RouterContext): Problem | undefined => {
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = req.headers
    if (encoding !== undefined) return encodedBody
    if (type !== json && !isAccepted(type, mediaTypes)) return wrongType(req.method, mediaTypes)
    return Number(length ?? 0) > maxBytes ? bodyTooLarge : undefined
  }

const encodedBody = problem('unsupported-media-type', {
  detail: 'A body must have no Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
})

const wrongType = (method: string | undefined, mediaTypes: readonly string[]): Problem =>
  problem('unsupported-media-type', {
    detail: `The Content-Type must be ${mediaTypes.join(' or ')}, in UTF-8.`,
    headers: { [acceptHeader[method ?? ''] ?? 'Accept']: mediaTypes.join(', ') },
  })

/** Where a 415 says what would be accepted. */
const acceptHeader: Readonly<Record<string, string>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }

const isAccepted = (header: IncomingHttpHeaders['content-type'], mediaTypes: readonly string[]): boolean => {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  return mediaTypes.includes(type.trim()) && parameters.every(isAcceptedParameter)
}

const isAcceptedParameter = (parameter: string): boolean => {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim() !== 'charset' || /^"?utf-8"?$/.test(value.trim())
}

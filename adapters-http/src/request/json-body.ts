import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { RouterContext } from '@koa/router'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import bodyParser from 'koa-bodyparser'
import { json } from '../answer/media-types.js'
import { malformedBody, type Problem, problem } from '../answer/problems.js'
import { decodeBody } from './faults.js'
import { isTooDeep, maxLevels } from './json-depth.js'
import { jsonFault } from './json-fault.js'
import type { BodyDescription, Reader } from './reader.js'

export const defaultMaxBodyBytes = 256 * 1024

const parserOptions = {
  enableTypes: ['json'],
  strict: false,
  // refuseByHeaders has checked the type
  detectJSON: () => true,
  // a key named __proto__ is an unknown field like any other: JSON.parse makes it an own property, and nobody reads it
  onProtoPoisoning: 'ignore',
}

/**
 * koa-bodyparser reads and parses. What it would accept is refused before it (other types, content encodings), before it
 * parses (bytes that are not UTF-8, which it replaces; deep nesting) and after it (JSON that is not an object).
 */
const parserFor = (maxBytes: number) => bodyParser({ ...parserOptions, jsonLimit: `${maxBytes}b` })

const nothingNext = async (): Promise<void> => {}

export const jsonBody = <A>(codec: t.Decoder<unknown, A>, body: BodyDescription): Reader<A> => {
  const bodyTooLarge = problem('body-too-large', { detail: `A body may have at most ${body.maxBytes} bytes.` })
  const refuseByHeaders = headerCheck(body, bodyTooLarge)
  const parse = parserFor(body.maxBytes)
  return {
    read: async ctx => {
      const refused = refuseByHeaders(ctx)
      if (refused !== undefined) return left(refused)
      const object = await readObject(ctx, { parse, bodyTooLarge })
      return isLeft(object) ? object : decodeBody(codec, object.right)
    },
    body,
    problems: ['malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
  }
}

type Parts = Readonly<{ parse: ReturnType<typeof parserFor>; bodyTooLarge: Problem }>

const readObject = async (ctx: RouterContext, { parse, bodyTooLarge }: Parts): Promise<Either<Problem, object>> => {
  const { req } = ctx
  if (req.headers.expect !== undefined) ctx.res.writeContinue()
  const chunks: Buffer[] = []
  const keep = (chunk: Buffer): void => void chunks.push(chunk)
  // these listeners hear of everything before those of the parser, which fails with the error instead of parsing
  const check = (): void => {
    const bytes = whole(chunks)
    if (!isUtf8(bytes)) req.emit('error', new RefusedError(notUtf8))
    else if (isTooDeep(bytes)) req.emit('error', new RefusedError(tooDeep))
  }
  req.on('data', keep).on('end', check)
  try {
    await parse(ctx, nothingNext)
  } catch (error) {
    // the rest may still be on its way
    req.off('data', keep).off('end', check)
    return left(error instanceof SyntaxError ? notJson(whole(chunks)) : problemOfParser(error, bodyTooLarge))
  }
  const { body } = ctx.request
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return right(body)
  return left(malformedBody('type', 'the body must be a JSON object'))
}

/** A usual body arrives in one piece. */
const whole = (chunks: readonly Buffer[]): Buffer => {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/** For the parser, which hands on what the request fails with. */
class RefusedError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super()
    this.problem = problem
  }
}

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

const problemOfParser = (error: unknown, bodyTooLarge: Problem): Problem => {
  if (error instanceof RefusedError) return error.problem
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined
  if (type === 'entity.too.large') return bodyTooLarge
  // the client has left, so nobody will read this
  if (type === 'request.aborted') return malformedBody('incomplete', 'the body ended early')
  throw error
}

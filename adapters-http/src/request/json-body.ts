import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { json } from '../answer/media-types.js'
import { malformedBody, type Problem, problem } from '../answer/problems.js'
import { decodeBody } from './faults.js'
import { jsonFault } from './json-fault.js'
import { excessOf, maxLevels, maxValues } from './json-limits.js'
import { type BodyChecks, parseBody, RefusedBody } from './json-parser.js'
import type { BodyDescription, Reader } from './reader.js'

export const defaultMaxBodyBytes = 256 * 1024

/**
 * koa-bodyparser parses. What it would accept is refused before it (other types, content encodings, bytes that are not UTF-8,
 * which it replaces, JSON that nests deep or holds many values) and after it (JSON that is not an object).
 */
export const jsonBody = <A>(codec: t.Decoder<unknown, A>, body: BodyDescription): Reader<A> => {
  const { maxBytes } = body
  const tooLarge = problem('body-too-large', { detail: `A body may have at most ${maxBytes} bytes.` })
  const refuseByHeaders = headerCheck(body, tooLarge)
  const checks = { maxBytes, tooLarge, faultOf }
  return {
    read: async ctx => {
      const refused = refuseByHeaders(ctx)
      if (refused !== undefined) return E.left(refused)
      try {
        // middleware before the routes may have parsed it
        if (ctx.request.body === undefined) await parse(ctx, checks)
      } catch (error) {
        return E.left(problemOfParser(error))
      }
      const { body: value } = ctx.request
      return isObject(value) ? decodeBody(codec, value) : E.left(noObject)
    },
    body,
    problems: ['malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
  }
}

const parse = (ctx: RouterContext, checks: BodyChecks): Promise<void> => {
  if (ctx.req.headers.expect !== undefined) ctx.res.writeContinue()
  return parseBody(ctx, checks)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const noObject = malformedBody('type', 'the body must be a JSON object')

const faultOf = (bytes: Buffer): Problem | undefined => {
  if (!isUtf8(bytes)) return notUtf8
  const excess = excessOf(bytes)
  return excess && tooMuch[excess]
}

const tooMuch = {
  depth: malformedBody('depth', `the body nests deeper than ${maxLevels} levels`),
  values: malformedBody('values', `the body holds more than ${maxValues} values`),
}

const notUtf8 = malformedBody('encoding', 'the body is not UTF-8')

/** Finding a fault in more than this would keep other requests waiting. */
const maxLengthToSearch = 64 * 1024

const problemOfParser = (error: unknown): Problem => {
  if (error instanceof RefusedBody) return error.problem
  if (error instanceof SyntaxError) return notJson('body' in error ? String(error.body) : '')
  throw error
}

/** Says where, and quotes nothing. */
const notJson = (text: string): Problem => {
  const fault = text.length > maxLengthToSearch ? undefined : jsonFault(text)
  if (fault === undefined) return malformedBody('json', 'the body is not valid JSON')
  const place = `line ${fault.line}, column ${fault.column}`
  return malformedBody(
    'json',
    `the body is not valid JSON: ${fault.isAtEnd ? 'it ends too early, at' : 'see'} ${place}`,
  )
}

const headerCheck =
  ({ mediaTypes, maxBytes }: BodyDescription, tooLarge: Problem) =>
  ({ req }: RouterContext): Problem | undefined => {
    const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = req.headers
    if (encoding !== undefined) return encodedBody
    if (type !== json && !isAccepted(type, mediaTypes)) return wrongType(req.method, mediaTypes)
    return Number(length ?? 0) > maxBytes ? tooLarge : undefined
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

import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { makeBadRequest, makeOverloadProblem, makeProblem, type Problem, retryAfter } from '../formats/problems.js'
import { maxBodyBytes } from '../server/limits.js'
import type { BodyFailure } from '../server/request-bodies.js'

/** Describes every body in the OpenAPI document. */
export const bodyRules = `At most ${maxBodyBytes} bytes. Unknown fields are ignored.`

/** Receives a body of one of the media types. */
export const readBody = async (ctx: Context, mediaTypes: readonly string[]): Promise<E.Either<Problem, Buffer>> => {
  const problem = mediaTypeProblem(ctx, mediaTypes)
  if (problem !== undefined) return E.left(problem)
  return E.mapLeft((failure: BodyFailure) => failureProblems[failure])(await ctx.bodies.receive(ctx))
}

const failureProblems: Readonly<Record<BodyFailure, Problem>> = {
  'too large': makeProblem('body-too-large', { detail: `A body may have at most ${maxBodyBytes} bytes.` }),
  incomplete: makeBadRequest('The body ended early or could not be read.'),
  'no memory': makeOverloadProblem('bodyBytes', {
    detail: 'The bodies of all requests are too large together. Nothing was written. Try again.',
    headers: { ...retryAfter, Connection: 'close' },
  }),
}

/** Returns the problem of an unsupported Content-Type or Content-Encoding. */
const mediaTypeProblem = ({ method, req: { headers } }: Context, accepted: readonly string[]) => {
  const { 'content-type': contentType = '', 'content-encoding': encoding } = headers
  if (encoding !== undefined) return encodedBody
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (accepted.includes(type.trim()) && parameters.every(isAcceptedParameter)) return undefined
  return makeProblem('unsupported-media-type', {
    detail: `The Content-Type must be ${accepted.join(' or ')}, in UTF-8.`,
    headers: { [acceptHeaders[method] ?? 'Accept']: accepted.join(', ') },
  })
}

/** The header that lists the accepted types in a 415, by method. */
const acceptHeaders: Readonly<Record<string, string>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }

const encodedBody = makeProblem('unsupported-media-type', {
  detail: 'A body must have no Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
})

const isAcceptedParameter = (parameter: string): boolean => {
  // a comma joins repeated fields
  if (parameter.includes(',')) return false
  const [name = '', value = ''] = parameter.split('=')
  return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
}

import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import { type Problem, problem } from '../response/problems.js'
import type { BodyDescription } from './reader.js'

/** Returns the problem of an unsupported Content-Type or Content-Encoding. */
export const headerProblem = (
  { req }: Context,
  { mediaTypes }: Pick<BodyDescription, 'mediaTypes'>,
): O.Option<Problem> => {
  const { 'content-type': type = '', 'content-encoding': encoding } = req.headers
  if (encoding !== undefined) return O.some(encodedBody)
  return isAccepted(type, mediaTypes) ? O.none : O.some(wrongType(req.method, mediaTypes))
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

/** The header that lists the accepted types in a 415, by method. */
const acceptHeader: Readonly<Record<string, string>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }

const isAccepted = (contentType: string, mediaTypes: readonly string[]): boolean => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  return mediaTypes.includes(type.trim()) && parameters.every(isAcceptedParameter)
}

const isAcceptedParameter = (parameter: string): boolean => {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim() !== 'charset' || /^"?utf-8"?$/.test(value.trim())
}

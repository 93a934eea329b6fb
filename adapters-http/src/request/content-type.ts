import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { type Problem, problem } from '../response/problems.js'

/** Rejects an unsupported Content-Type or Content-Encoding. */
export const checkContentType = ({ req }: Context, mediaTypes: readonly string[]): E.Either<Problem, void> => {
  const { 'content-type': type = '', 'content-encoding': encoding } = req.headers
  if (encoding !== undefined) return E.left(encodedBody)
  return isAccepted(type, mediaTypes) ? E.right(undefined) : E.left(wrongType(req.method, mediaTypes))
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

import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { isWellFormed, splitTarget } from '../request/target.js'
import { badRequest, type Problem, problem } from '../response/problems.js'
import { sendProblem } from '../response/write-response.js'

/** Rejects invalid and foreign requests that pass Node's parser, and sets the URL to its origin form. */
export const checkRequest =
  (isForThisService: (authority: string | undefined) => boolean): Middleware =>
  (ctx, next) => {
    const { authority, path } = splitTarget(ctx.req.url ?? '')
    const malformed = problemOfHead(ctx.req, authority)
    // Node may misjudge where the next request begins, so the connection must close
    if (malformed !== undefined) return sendProblem(ctx, { ...malformed, headers: { Connection: 'close' } })
    // an absolute target takes precedence over Host (RFC 9112, 3.2.2)
    ctx.state.authority = authority ?? ctx.req.headers.host
    if (!isForThisService(ctx.state.authority)) return sendProblem(ctx, misdirected)
    ctx.url = path
    return next()
  }

const misdirected = problem('misdirected-request')

/** The maximum number of header fields of a request. */
export const maxHeaderFields = 100

const problemOfHead = (req: IncomingMessage, authority: string | undefined): Problem | undefined => {
  const { httpVersionMajor, httpVersionMinor, headers, rawHeaders } = req
  if (rawHeaders.length > 2 * maxHeaderFields) return tooManyFields
  if (httpVersionMajor !== 1) return wrongVersion
  const { 'transfer-encoding': coding, expect = '100-continue', host } = headers
  // HTTP/1.0 has no transfer codings, and a body in another coding would be misread (RFC 9112, 6.1)
  if (coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked')) return unknownCoding
  if (!/^100-continue(?:, ?100-continue)*$/i.test(expect)) return unknownExpectation
  if (authority !== undefined && !isWellFormed(authority)) return badTarget
  // HTTP/1.1 requires a Host (RFC 9112, 3.2)
  const isValidHost = host === undefined ? httpVersionMinor === 0 : isWellFormed(host)
  return isValidHost ? undefined : badHost
}

const tooManyFields = problem('headers-too-large', {
  detail: `A request may have at most ${maxHeaderFields} header fields.`,
})
const wrongVersion = badRequest('Only HTTP/1.0 and HTTP/1.1 are supported.')
const unknownCoding = badRequest('The only supported Transfer-Encoding is chunked, in HTTP/1.1.')
const unknownExpectation = problem('expectation-failed')
const badTarget = badRequest('An absolute request target must have a well-formed host and no user name.')
const badHost = badRequest('Exactly one well-formed Host is needed.')

import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { hasValidHost, hasValidTarget, originForm } from '../request/target.js'
import { badRequest, type Problem, problem } from '../response/problems.js'
import { sendProblem } from '../response/write-response.js'

/** Rejects invalid and foreign requests that pass Node's parser, and sets the URL to its origin form. */
export const checkRequest =
  (isForThisService: (req: IncomingMessage) => boolean): Middleware =>
  (ctx, next) => {
    const closing = closingProblem(ctx.req)
    // Node may misjudge where the next request begins, so the connection must close
    if (closing !== undefined) return sendProblem(ctx, { ...closing, headers: { Connection: 'close' } })
    const problem = headProblem(ctx.req)
    if (problem !== undefined) return sendProblem(ctx, problem)
    if (!isForThisService(ctx.req)) return sendProblem(ctx, misdirected)
    if (!ctx.url.startsWith('/') || ctx.url.includes('#')) ctx.url = originForm(ctx.url)
    return next()
  }

const misdirected = problem('misdirected-request')

const closingProblem = (req: IncomingMessage): Problem | undefined => {
  const { httpVersionMajor, httpVersionMinor, headers, rawHeaders } = req
  if (rawHeaders.length > 2 * maxHeaderFields) return tooManyFields
  if (httpVersionMajor !== 1) return wrongVersion
  const { 'transfer-encoding': coding, expect } = headers
  // HTTP/1.0 has no transfer codings, so its framing is not reliable (RFC 9112, 6.1)
  if (coding !== undefined && httpVersionMinor === 0) return unknownCoding
  // a body in another coding would be misread (RFC 9112, 6.1)
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding
  // HTTP/1.0 has no expectations (RFC 9110, 10.1.1)
  const hasExpectation = expect !== undefined && httpVersionMinor > 0
  return hasExpectation && expect.toLowerCase() !== '100-continue' ? unknownExpectation : undefined
}

const wrongVersion = badRequest('Only HTTP/1.0 and HTTP/1.1 are supported.')
const unknownCoding = badRequest('The only supported Transfer-Encoding is chunked, in HTTP/1.1.')
const unknownExpectation = problem('expectation-failed')

const headProblem = (req: IncomingMessage): Problem | undefined => {
  if (!hasValidTarget(req)) return badTarget
  if (hasRepeatedField(req)) return repeated
  return hasValidHost(req) ? undefined : badHost
}

/** The maximum number of header fields of a request. */
export const maxHeaderFields = 200

const tooManyFields = problem('headers-too-large', {
  detail: `A request may have at most ${maxHeaderFields} header fields.`,
})
const badTarget = badRequest('An absolute request target must have a well-formed host and no user name.')
const badHost = badRequest('Exactly one well-formed Host is needed.')
const repeated = badRequest('Host, Content-Type and Authorization may each be sent only once.')

/** Header fields that may occur once. Node uses the first, and a proxy may have used the last. */
const singletons = ['host', 'content-type', 'authorization']

/** Tells whether a singleton occurs twice. `headersDistinct` would build a list for every field. */
const hasRepeatedField = ({ rawHeaders }: IncomingMessage): boolean => {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const index = singletons.indexOf((rawHeaders[i] ?? '').toLowerCase())
    if (index < 0) continue
    if (seen & (1 << index)) return true
    seen |= 1 << index
  }
  return false
}

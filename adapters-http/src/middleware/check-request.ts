import type { Context, Middleware } from 'koa'
import { badRequest, type Problem, problem } from '../answer/problems.js'
import { refuse } from '../answer/write-answer.js'
import { hasProperHost, hasProperTarget, originForm } from '../request/target.js'

/** Refuses what Node's parser accepts, but no route may read. */
export const checkRequest: Middleware = async (ctx, next) => {
  const fault = framingFault(ctx.req)
  // the next request may begin elsewhere than Node takes it to
  if (fault !== undefined) return refuse(ctx, { ...fault, headers: { Connection: 'close' } })
  const problem = headProblem(ctx.req)
  if (problem !== undefined) return refuse(ctx, problem)
  if (!ctx.url.startsWith('/') || ctx.url.includes('#')) ctx.url = originForm(ctx.url)
  await next()
}

type Request = Context['req']

const framingFault = ({ httpVersionMajor, httpVersionMinor, headers }: Request): Problem | undefined => {
  if (httpVersionMajor !== 1) return wrongVersion
  const { 'transfer-encoding': coding, expect } = headers
  // HTTP/1.0 has no codings, so the framing is not to be trusted (RFC 9112, 6.1)
  if (coding !== undefined && httpVersionMinor === 0) return unknownCoding
  // a body in another coding would be taken for what it is not (RFC 9112, 6.1)
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding
  // HTTP/1.0 has no expectations (RFC 9110, 10.1.1)
  const isExpectant = expect !== undefined && httpVersionMinor > 0
  return isExpectant && expect.toLowerCase() !== '100-continue' ? unknownExpectation : undefined
}

const wrongVersion = badRequest('Only HTTP/1.0 and HTTP/1.1 are supported.')
const unknownCoding = badRequest('The only supported Transfer-Encoding is chunked.')
const unknownExpectation = problem('expectation-failed')

const headProblem = (req: Request): Problem | undefined => {
  if (!hasProperTarget(req)) return badTarget
  if (singletons.some(name => (req.headersDistinct[name]?.length ?? 0) > 1)) return repeated
  return hasProperHost(req) ? undefined : badHost
}

const badTarget = badRequest('An absolute target needs a well-formed host, and no user name.')
const badHost = badRequest('Exactly one well-formed Host is needed.')
const repeated = badRequest('Host, Content-Type and Authorization may each be sent only once.')

/** Node takes the first, and another server on the way may have taken the last. */
const singletons = ['host', 'content-type', 'authorization']

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Middleware } from 'koa'
import { makeBadRequest, makeProblem, type Problem } from '../formats/problems.js'
import { hostOf, splitTarget } from '../request/target.js'
import { sendProblem } from '../response/response.js'
import { maxHeaderFields } from '../server/limits.js'

/**
 * Rejects invalid requests that pass Node's parser, and sets the URL to its origin form. With `knownHosts`, also
 * rejects requests for other hosts.
 */
export const checkRequest = (knownHosts?: readonly string[]): Middleware => {
  const isKnownHost = knownHosts ? createHostCheck(knownHosts) : () => true
  return (ctx, next) => {
    const { authority, originForm } = splitTarget(ctx.req.url ?? '')
    const malformed = problemOfHead(ctx.req, authority)
    // Node may have misjudged where this request ends, so the connection must close
    if (malformed !== undefined) return sendProblem(ctx, { ...malformed, headers: { Connection: 'close' } })
    // an absolute target takes precedence over Host (RFC 9112, 3.2.2)
    ctx.state.authority = authority ?? ctx.req.headers.host
    if (!isKnownHost(ctx.state.authority)) return sendProblem(ctx, makeProblem('misdirected-request'))
    ctx.url = originForm
    return next()
  }
}

const problemOfHead = (req: IncomingMessage, authority: string | undefined): Problem | undefined => {
  const { httpVersionMajor, httpVersionMinor, headers, rawHeaders } = req
  if (rawHeaders.length > 2 * maxHeaderFields)
    return makeProblem('headers-too-large', { detail: `A request may have at most ${maxHeaderFields} header fields.` })
  if (httpVersionMajor !== 1) return makeBadRequest('Only HTTP/1.0 and HTTP/1.1 are supported.')
  const { 'transfer-encoding': coding, expect = '100-continue', host } = headers
  // HTTP/1.0 has no transfer codings, and a body in another coding would be misread (RFC 9112, 6.1)
  if (coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked'))
    return makeBadRequest('The only supported Transfer-Encoding is chunked, in HTTP/1.1.')
  if (!/^100-continue(?:, ?100-continue)*$/i.test(expect)) return makeProblem('expectation-failed')
  if (authority !== undefined && hostOf(authority) === undefined)
    return makeBadRequest('An absolute request target must have a well-formed host and no user name.')
  // HTTP/1.1 requires a Host (RFC 9112, 3.2)
  const isValidHost = host === undefined ? httpVersionMinor === 0 : hostOf(host) !== undefined
  return isValidHost ? undefined : makeBadRequest('Exactly one well-formed Host is needed.')
}

/**
 * Returns a check against DNS rebinding: a web page can make its own host name point to this machine, and so reach a
 * service without tokens. Known hosts are IP addresses, localhost, its subdomains and `names`. A request may lack a
 * host.
 */
const createHostCheck = (names: readonly string[]) => {
  const known = ['localhost', ...names.map(canonical)]
  return (authority: string | undefined): boolean => {
    if (authority === undefined) return true
    const host = canonical(hostOf(authority) ?? '')
    return isIP(host) > 0 || known.includes(host) || host.endsWith('.localhost')
  }
}

/** Returns the lower-case host without the dot that may end an absolute name. */
const canonical = (host: string): string => host.toLowerCase().replace(/\.$/, '')

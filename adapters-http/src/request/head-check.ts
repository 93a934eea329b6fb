import type { Context } from 'koa'
import { badRequest, type Problem } from '../answer/problems.js'
import { hasProperHost, hasProperTarget } from './host.js'

/** The problem of a request that no route may read. */
export const headProblem = (req: Context['req']): Problem | undefined => {
  if (!hasProperTarget(req)) return badTarget
  if (isSingletonRepeated(req.rawHeaders)) return repeated
  return hasProperHost(req) ? undefined : badHost
}

const badTarget = badRequest('An absolute target needs a well-formed host, and no user name.')
const badHost = badRequest('Exactly one well-formed Host is needed.')
const repeated = badRequest('Host, Content-Type and Authorization may each be sent only once.')

const singletons = ['host', 'content-type', 'authorization']
const lengths = singletons.map(({ length }) => length)

/** Node takes the first, and another server on the way may have taken the last. */
const isSingletonRepeated = (rawHeaders: readonly string[]): boolean => {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (!lengths.includes(name.length)) continue
    const bit = 1 << (singletons.indexOf(name.toLowerCase()) + 1)
    if (bit > 1 && (seen & bit) > 0) return true
    seen |= bit
  }
  return false
}

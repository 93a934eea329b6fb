import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'

const wellFormed = /^[\w.:+/=-]{1,128}$/

/** The same for every call with this context. */
export const requestId = (ctx: Context): string => {
  const known: unknown = ctx.state.requestId
  if (typeof known === 'string') return known
  const id = requestIdOf(ctx.req.headers)
  ctx.state.requestId = id
  return id
}

/** The caller's own id where it is safe to log, so that one request can be followed through several services. */
export const requestIdOf = ({ 'x-request-id': given }: IncomingHttpHeaders): string =>
  typeof given === 'string' && wellFormed.test(given) ? given : `${processId}-${(made++).toString(36)}`

/** Random for each process, with a counter behind it: as unique as a UUID for each request, which costs 2 % of a detail. */
const processId = randomBytes(8).toString('hex')
let made = 0

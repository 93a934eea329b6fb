import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'

const wellFormed = /^[\w.:+/=-]{1,128}$/

/** The caller's own id where it is safe to log, so that one request can be followed through several services. */
export const requestId = (ctx: Context): string => {
  const known: unknown = ctx.state.requestId
  if (typeof known === 'string') return known
  const given = ctx.req.headers['x-request-id']
  const id = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
  ctx.state.requestId = id
  return id
}

import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { commonHeaders } from '../response/response.js'

const wellFormed = /^[\w.:+/=-]{1,128}$/

/**
 * Sets the request ID and the headers of every response. A well-formed ID of the client is kept, so that a request can
 * be followed through several services.
 */
export const setRequestId: Middleware = (ctx, next) => {
  const { 'x-request-id': given } = ctx.req.headers
  ctx.state.requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
  ctx.set({ ...commonHeaders, 'X-Request-Id': ctx.state.requestId })
  return next()
}

import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { commonHeaders } from '../response/response.js'

const headersOfAll = Object.entries(commonHeaders)

const wellFormed = /^[\w.:+/=-]{1,128}$/

/**
 * Sets the request ID and the headers of every response. Keeps a well-formed ID of the client, so that operators can
 * follow a request through several services.
 */
export const setRequestId: Middleware = ({ req, res, state }, next) => {
  const { 'x-request-id': given } = req.headers
  state.requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
  res.setHeader('X-Request-Id', state.requestId)
  for (const [name, value] of headersOfAll) res.setHeader(name, value)
  return next()
}

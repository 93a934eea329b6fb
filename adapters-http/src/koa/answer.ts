import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Context } from 'koa'

/**
 * Every complete answer leaves through here, straight to Node's response: `ctx.body` would have Koa guess a type, set
 * headers one at a time and measure the text again. The whole head is written at once, so no other header is set before.
 */
export const answer = (ctx: Context, status: number, headers: OutgoingHttpHeaders, body: string): void => {
  headers['Content-Length'] = Buffer.byteLength(body)
  finish(ctx, status, headers, body)
}

/** For 204 and 304, which have no body and say nothing about its length. */
export const answerEmpty = (ctx: Context, status: number, headers: OutgoingHttpHeaders): void =>
  finish(ctx, status, headers, '')

const finish = (ctx: Context, status: number, headers: OutgoingHttpHeaders, body: string): void => {
  const { res } = ctx
  // the server has refused a body that broke off
  if (res.headersSent) return
  res.writeHead(status, withCommonHeaders(ctx, headers)).end(body)
}

export const withCommonHeaders = (ctx: Context, headers: OutgoingHttpHeaders): OutgoingHttpHeaders => {
  headers['X-Content-Type-Options'] = 'nosniff'
  headers['X-Request-Id'] = requestId(ctx)
  return headers
}

const wellFormedRequestId = /^[\w.:+/=-]{1,128}$/

/** The caller's own id when it is fit for a log line, so that one request can be followed through several services. */
export const requestId = (ctx: Context): string => {
  const known: unknown = ctx.state.requestId
  if (typeof known === 'string') return known
  const given = ctx.req.headers['x-request-id']
  const id = typeof given === 'string' && wellFormedRequestId.test(given) ? given : randomUUID()
  ctx.state.requestId = id
  return id
}

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import type { Problem } from './problems.js'
import { type HttpResponse, problemResponse } from './response.js'

export const writeResponse = (ctx: Context, { status, headers, body, problem, limit }: HttpResponse): void => {
  ctx.status = status
  ctx.state.problem = problem
  ctx.state.limit = limit
  ctx.set(headers)
  if (typeof body === 'string' && !ctx.req.complete && mustClose(ctx.req)) {
    ctx.set('Connection', 'close')
    ctx.body = Readable.from(lingering(body, ctx.req))
    ctx.length = Buffer.byteLength(body)
  } else if (body !== undefined) ctx.body = body
  // Node warns of more than ten listeners, and piping a stream adds most of them
  if (typeof ctx.body === 'object') ctx.res.setMaxListeners(20)
}

export const sendProblem = (ctx: Context, problem: Problem): void => writeResponse(ctx, problemResponse(problem))

/** Above this Content-Length, an unread body closes the connection. Node discards other bodies, within `requestMs`. */
const maxDiscardedBytes = 1024 * 1024
const maxLingerMs = 1000

/** A client that waits for 100 Continue may or may not send its body, so its connection closes as well. */
const mustClose = ({ headers }: IncomingMessage): boolean =>
  headers.expect !== undefined || Number(headers['content-length'] ?? 0) > maxDiscardedBytes

/**
 * Yields the text and ends a moment later, because Node closes the connection at the end of the response. An earlier
 * close would reset the connection of a client that is still sending its body, and the client could lose the response.
 */
async function* lingering(text: string, req: IncomingMessage): AsyncGenerator<string> {
  yield text
  req.resume()
  await Promise.race([once(req, 'close'), wait(maxLingerMs, undefined, { ref: false })])
}

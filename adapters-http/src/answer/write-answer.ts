import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import { type Answer, problemAnswer } from './answer.js'
import type { Problem } from './problems.js'

/** Every answer leaves through here. */
export const writeAnswer = (ctx: Context, { status, headers, body, problem }: Answer): void => {
  ctx.status = status
  ctx.state.problem = problem
  ctx.set(headers)
  if (typeof body === 'string' && !ctx.req.complete && isNotWorthReading(ctx.req)) {
    ctx.set('Connection', 'close')
    ctx.body = Readable.from(heldOpen(body, ctx.req))
    ctx.length = Buffer.byteLength(body)
  } else if (body !== undefined) ctx.body = body
  // a stream that Koa pipes into it takes most of the usual ten
  if (typeof ctx.body === 'object') ctx.res.setMaxListeners(20)
}

export const refuse = (ctx: Context, problem: Problem): void => writeAnswer(ctx, problemAnswer(problem))

/** Node reads on and discards a body that nobody reads, but a long one is not worth it. */
const maxDiscardedBytes = 1024 * 1024
const maxHeldMs = 1000

/** Whether the body follows is also unknown where the client waits for 100 Continue. */
const isNotWorthReading = ({ headers }: IncomingMessage): boolean =>
  headers.expect !== undefined || Number(headers['content-length'] ?? 0) > maxDiscardedBytes

/**
 * Leaves the answer open for a moment after all of it was sent: Node closes the connection at its end, and a client that is then
 * still sending gets a reset that may cost it the answer.
 */
async function* heldOpen(text: string, req: IncomingMessage): AsyncGenerator<string> {
  yield text
  req.resume()
  await Promise.race([once(req, 'close'), wait(maxHeldMs, undefined, { ref: false })])
}

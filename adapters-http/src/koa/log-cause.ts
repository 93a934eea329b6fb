import type { Context } from 'koa'
import type { Log } from '../answer/log.js'
import type { Refusal } from '../answer/refusal.js'
import { requestId } from './request-id.js'

/** Clients see the problem; the cause is in the log, under the same request id. */
export const logCause = (log: Log, ctx: Context, refusal: Refusal): void => {
  if (!('_tag' in refusal)) return
  if (refusal._tag === 'Unavailable')
    log.warn(about(ctx, refusal.cause), `storage unavailable, write ${refusal.outcome}`)
  if (refusal._tag === 'Corrupt') log.error(about(ctx, refusal.cause), 'the storage holds a malformed row')
}

export const about = (ctx: Context, err: unknown): object => ({
  err,
  requestId: requestId(ctx),
  method: ctx.req.method,
  url: ctx.req.url,
})

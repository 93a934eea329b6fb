import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import type { RequestError } from '../answer/request-error.js'
import { traceIdOf } from './trace-id.js'

type Write = (fields: object, message: string) => void

/** What this adapter needs of a logger. */
export type Log = Readonly<{ warn: Write; error: Write }>

/** The pattern of the route that answers, never the path: that holds ids. */
export const routeOf = ({ state }: Context): string => state.route ?? 'none'

/** Names the request. Its path and its query are left out: they hold ids and texts. */
const about = (ctx: Context): object => ({
  requestId: ctx.state.requestId,
  traceId: O.toUndefined(traceIdOf(ctx.req)),
  method: ctx.method,
  route: routeOf(ctx),
})

/**
 * Clients see the problem; the cause is in the log, under the same request id. While a storage is away every request
 * fails, so each gets one short line; the adapter of the storage logs the whole cause, once.
 */
export const logCause = (log: Log, ctx: Context, refusal: RequestError): void => {
  if (!('_tag' in refusal)) return
  if (refusal._tag === 'Unavailable') {
    const outcome = isReading(ctx) ? '' : `, write ${refusal.outcome}`
    log.warn({ ...about(ctx), reason: reasonOf(refusal.cause) }, `storage unavailable${outcome}`)
  }
  if (refusal._tag === 'Rejected') log.error({ ...about(ctx), err: refusal.cause }, 'the storage rejected a request')
  if (refusal._tag === 'Corrupt') log.error({ ...about(ctx), err: refusal.cause }, 'the storage holds a malformed row')
}

const isReading = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD'

/** The beginning of its message. What a database quotes in braces may be a row. */
const reasonOf = (cause: unknown): string =>
  /^[^\n{]{0,120}/.exec(cause instanceof Error ? cause.message : '')?.[0] ?? ''

export const logError = (log: Log, ctx: Context, err: unknown, message: string): void =>
  log.error({ ...about(ctx), err }, message)

import type { Log } from '@snippets/application/log.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import type { RequestError } from '../response/request-error.js'
import { traceIdOf } from './trace-id.js'

/** Returns the path pattern of the route, or `none`. The path itself contains ids. */
export const routeOf = ({ state }: Context): string => state.route ?? 'none'

/** Returns the fields that identify a request in the log, without its path and query: they contain ids and texts. */
const requestFields = (ctx: Context): object => ({
  requestId: ctx.state.requestId,
  traceId: O.toUndefined(traceIdOf(ctx.req)),
  method: ctx.method,
  route: routeOf(ctx),
})

/**
 * Logs the cause of an error under the id of its request. Clients see only the problem. While a storage is unavailable,
 * each request logs one short line, and the adapter of the storage logs the complete cause once.
 */
export const logCause = (log: Log, ctx: Context, error: RequestError): void => {
  if (!('_tag' in error)) return
  if (error._tag === 'Unavailable') {
    const outcome = isRead(ctx) ? '' : `, outcome ${error.outcome}`
    log.warn({ ...requestFields(ctx), reason: messageOf(error.cause) }, `storage unavailable${outcome}`)
  }
  if (error._tag === 'Rejected')
    log.error({ ...requestFields(ctx), err: error.cause }, 'the storage rejected a request')
  if (error._tag === 'Corrupt')
    log.error({ ...requestFields(ctx), err: error.cause }, 'the storage holds a malformed row')
}

const isRead = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD'

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : '')

export const logError = (log: Log, ctx: Context, err: unknown, message: string): void =>
  log.error({ ...requestFields(ctx), err }, message)

import type { StorageError } from '@snippets/domain/errors.js'
import type { Context } from 'koa'
import { requestId } from '../koa/request-id.js'
import { traceIdOf } from '../request/trace-id.js'
import type { Log } from './log.js'
import { type Problem, problem } from './problems.js'

/** Why a request is not served: a problem with the request, or a use case that failed. */
export type Refusal = Problem | StorageError

/** The one place where a failure becomes a problem. */
export const problemOf = (refusal: Refusal): Problem => {
  if (!('_tag' in refusal)) return refusal
  switch (refusal._tag) {
    case 'NotFound':
      return notFound
    case 'Stale':
      return preconditionFailed
    case 'IdsExhausted':
      return idsExhausted
    case 'Unavailable':
      return refusal.outcome === 'unknown' ? outcomeUnknown : unavailable
    case 'Corrupt':
      return internal
  }
}

export const notFound = problem('not-found')
export const internal = problem('internal')
const preconditionFailed = problem('precondition-failed')
const idsExhausted = problem('ids-exhausted')
const retryAfter = { 'Retry-After': '1' }
const unavailable = problem('unavailable', { headers: retryAfter })
const outcomeUnknown = problem('outcome-unknown', { headers: retryAfter })

/**
 * Clients see the problem; the cause is in the log, under the same request id. While a storage is away every request
 * fails, so each gets one short line; the adapter of the storage logs the whole cause, once.
 */
export const logCause = (log: Log, ctx: Context, refusal: Refusal): void => {
  if (!('_tag' in refusal)) return
  if (refusal._tag === 'Unavailable')
    log.warn({ ...about(ctx), reason: reasonOf(refusal.cause) }, `storage unavailable, write ${refusal.outcome}`)
  if (refusal._tag === 'Corrupt') log.error({ ...about(ctx), err: refusal.cause }, 'the storage holds a malformed row')
}

/** The beginning of its message. What a database quotes in braces may be a row. */
const reasonOf = (cause: unknown): string =>
  /^[^\n{]{0,120}/.exec(cause instanceof Error ? cause.message : '')?.[0] ?? ''

/** Names the request. Its path and its query are left out: they hold ids and texts. */
export const about = (ctx: Context): object => ({
  requestId: requestId(ctx),
  traceId: traceIdOf(ctx.req),
  method: ctx.req.method,
  route: ctx.routerPath ?? 'none',
})

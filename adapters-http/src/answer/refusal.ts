import type { StorageError } from '@snippets/domain/errors.js'
import type { Context } from 'koa'
import { requestId } from '../koa/request-id.js'
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

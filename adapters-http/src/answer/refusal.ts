import type { StorageError } from '@snippets/domain/errors.js'
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
    case 'StorageFull':
      return storageFull
    case 'Unavailable':
      return refusal.outcome === 'unknown' ? outcomeUnknown : unavailable
    case 'Corrupt':
      return internal
  }
}

const notFound = problem('not-found')
const internal = problem('internal')
const preconditionFailed = problem('precondition-failed')
const idsExhausted = problem('ids-exhausted')
const storageFull = problem('storage-full')
const retryAfter = { 'Retry-After': '1' }
const unavailable = problem('unavailable', { headers: retryAfter })
const outcomeUnknown = problem('outcome-unknown', { headers: retryAfter })

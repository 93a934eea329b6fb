import type { KeyInUse, StorageError } from '@snippets/domain/ports/errors.js'
import { type Problem, problem } from './problems.js'

/** Why a request is not served: a problem with the request, or a use case that failed. */
export type Refusal = Problem | StorageError | KeyInUse

/** What the request was about, for details such as "There is no snippet 5." A read needs no word about writing. */
export type Asked = Readonly<{ item: string; isRead: boolean }>

/** The one place where a failure becomes a problem. */
export const problemOf = (refusal: Refusal, { item, isRead }: Asked): Problem => {
  if (!('_tag' in refusal)) return refusal
  switch (refusal._tag) {
    case 'NotFound':
      return problem('not-found', { detail: `There is no ${item}.` })
    case 'Stale':
      return preconditionFailed
    case 'IdsExhausted':
      return idsExhausted
    case 'StorageFull':
      return storageFull
    case 'KeyReused':
      return keyReused
    case 'KeysUnavailable':
      return keysUnavailable
    case 'KeyInUse':
      return keyInUse
    case 'Unavailable':
      if (refusal.outcome === 'unknown') return outcomeUnknown
      return isRead ? unavailable : unavailableForWrite
    case 'SearchTooBroad':
      return searchTooBroad
    case 'Rejected':
      return rejected
    case 'Corrupt':
      return internal
  }
}

const internal = problem('internal')
const rejected = problem('rejected')
const preconditionFailed = problem('precondition-failed')
const idsExhausted = problem('ids-exhausted')
const storageFull = problem('storage-full')
const keyReused = problem('idempotency-key-reused')
const retryAfter = { 'Retry-After': '1' }
const keyInUse = problem('idempotency-key-in-use', { headers: retryAfter })
const keysUnavailable = problem('idempotency-key-unavailable', { headers: { 'Retry-After': '60' } })
export const unavailable = problem('unavailable', { headers: retryAfter })
const unavailableForWrite = problem('unavailable', {
  detail: 'The storage does not answer. Nothing was written. Try again.',
  headers: retryAfter,
})
const searchTooBroad = problem('search-too-broad', { headers: retryAfter })
const outcomeUnknown = problem('outcome-unknown', { headers: retryAfter })

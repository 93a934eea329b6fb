import type { StorageError } from '@snippets/domain/ports/errors.js'
import { overloadProblem, type Problem, problem, retryAfter } from './problems.js'

/** The reason why a request failed: a problem of the request, or the error of a use case. */
export type RequestError = Problem | StorageError

/** The facts of a request that decide its problem. `item` returns a name such as "snippet 5". */
type FailedRequest = Readonly<{ item: () => string; isRead: boolean }>

export const problemOf = (error: RequestError, { item, isRead }: FailedRequest): Problem => {
  if (!('_tag' in error)) return error
  switch (error._tag) {
    case 'NotFound':
      return problem('not-found', { detail: `There is no ${item()}.` })
    case 'Stale':
      return problem('precondition-failed')
    case 'IdsExhausted':
      return problem('ids-exhausted')
    case 'StorageFull':
      return problem('storage-full')
    case 'KeyReused':
      return problem('idempotency-key-reused')
    case 'KeyInUse':
      return problem('idempotency-key-in-use', { headers: retryAfter })
    case 'Unavailable':
      if (isRead) return problem('unavailable', { headers: retryAfter })
      if (error.outcome === 'unknown') return problem('outcome-unknown', { headers: retryAfter })
      return problem('unavailable', {
        detail: 'The storage does not answer. Nothing was written. Try again.',
        headers: retryAfter,
      })
    case 'Rejected':
      return problem('rejected')
    case 'SearchTooBroad':
      return problem('search-too-broad')
    case 'Overloaded':
      return overloadProblem('searches')
    case 'Corrupt':
      return problem('internal')
  }
}

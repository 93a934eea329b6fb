import type { StorageError } from '@snippets/domain/ports/errors.js'
import { overloadProblem, type Problem, problem, retryAfter } from './problems.js'

/** The reason why a request failed: a problem of the request, or the error of a use case. */
export type RequestError = Problem | StorageError

export const problemOf = (error: RequestError): Problem => {
  if (!('_tag' in error)) return error
  switch (error._tag) {
    case 'NotFound':
      return problem('not-found')
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
      return problem(error.outcome === 'unknown' ? 'outcome-unknown' : 'unavailable', { headers: retryAfter })
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

import type { StorageError } from '@snippets/domain/ports/errors.js'
import { makeOverloadProblem, makeProblem, type Problem, retryAfter } from './problems.js'

export const problemOf = (error: StorageError): Problem => {
  switch (error._tag) {
    case 'NotFound':
      return makeProblem('not-found')
    case 'Stale':
      return makeProblem('precondition-failed')
    case 'IdsExhausted':
      return makeProblem('ids-exhausted')
    case 'StorageFull':
      return makeProblem('storage-full')
    case 'KeyReused':
      return makeProblem('idempotency-key-reused')
    case 'KeyInUse':
      return makeProblem('idempotency-key-in-use', { headers: retryAfter })
    case 'Unavailable':
      return makeProblem(error.outcome === 'unknown' ? 'outcome-unknown' : 'unavailable', { headers: retryAfter })
    case 'Rejected':
      return makeProblem('rejected')
    case 'SearchTooBroad':
      return makeProblem('search-too-broad')
    case 'Overloaded':
      return makeOverloadProblem('searches')
    case 'Corrupt':
      return makeProblem('internal')
  }
}

import type { ErrorTag, StorageError } from '@snippets/domain/ports/errors.js'
import { overloadProblem, type Problem, type ProblemName, problem, retryAfter } from './problems.js'

/** The reason why a request failed: a problem of the request, or the error of a use case. */
export type RequestError = Problem | StorageError

/** The facts about a request that its problem depends on. `item` returns a name such as "snippet 5". */
type FailedRequest = Readonly<{ item: () => string; isRead: boolean }>

const problemNameByTag = {
  NotFound: 'not-found',
  Stale: 'precondition-failed',
  IdsExhausted: 'ids-exhausted',
  StorageFull: 'storage-full',
  KeyReused: 'idempotency-key-reused',
  KeyInUse: 'idempotency-key-in-use',
  KeysUnavailable: 'idempotency-key-unavailable',
  Unavailable: 'unavailable',
  Rejected: 'rejected',
  SearchTooBroad: 'search-too-broad',
  Overloaded: 'overloaded',
  Corrupt: 'internal',
} as const satisfies Record<ErrorTag, ProblemName>

export const problemOf = (error: RequestError, { item, isRead }: FailedRequest): Problem => {
  if (!('_tag' in error)) return error
  const name = problemNameByTag[error._tag]
  switch (error._tag) {
    case 'NotFound':
      return problem(name, { detail: `There is no ${item()}.` })
    case 'Unavailable':
      if (isRead) return problem(name, { headers: retryAfter })
      if (error.outcome === 'unknown') return problem('outcome-unknown', { headers: retryAfter })
      return problem(name, {
        detail: 'The storage does not answer. Nothing was written. Try again.',
        headers: retryAfter,
      })
    case 'KeyInUse':
      return problem(name, { headers: retryAfter })
    case 'Overloaded':
      return overloadProblem('searches')
    case 'KeysUnavailable':
      return problem(name, { headers: { 'Retry-After': '60' } })
    case 'Stale':
    case 'IdsExhausted':
    case 'StorageFull':
    case 'KeyReused':
    case 'Rejected':
    case 'SearchTooBroad':
    case 'Corrupt':
      return problem(name)
  }
}

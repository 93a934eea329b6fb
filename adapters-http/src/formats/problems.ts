import type { StorageError } from '@snippets/domain/ports/errors.js'
import type { NamedReason, Reason } from '@snippets/domain/values/codec.js'
import { maxId } from '@snippets/domain/values/id.js'

/** The problems of the service, as the OpenAPI document shows them. The detail of a response may be more specific. */
export const problemTable = {
  'bad-request': { status: 400, detail: 'The request is malformed.' },
  'malformed-body': { status: 400, detail: 'The body is not a JSON object in UTF-8.' },
  'invalid-body': { status: 400, detail: 'The body has invalid fields.' },
  'invalid-query': { status: 400, detail: 'A query parameter is unknown or invalid.' },
  unauthorized: { status: 401, detail: 'A valid bearer token is needed.' },
  forbidden: { status: 403, detail: 'This method needs a token with the scope write.' },
  'unknown-path': { status: 404, detail: 'There is nothing at this path.' },
  'not-found': { status: 404, detail: 'There is no item with this id.' },
  'method-not-allowed': { status: 405, detail: 'This path does not support the method.' },
  'request-timeout': { status: 408, detail: 'The request did not arrive completely in time.' },
  'idempotency-key-in-use': {
    status: 409,
    detail: 'Another request with this Idempotency-Key is in progress. Nothing was written for this one. Try again.',
  },
  'precondition-failed': {
    status: 412,
    detail:
      'The current state of the item does not meet If-Match or If-None-Match. Get the item again before a retry. A weak ETag, which begins with W/, never matches If-Match.',
  },
  'body-too-large': { status: 413, detail: 'The body is longer than the service accepts.' },
  'query-too-long': { status: 414, detail: 'The query string is too long.' },
  'unsupported-media-type': { status: 415, detail: 'The body must be JSON in UTF-8, without a content encoding.' },
  'expectation-failed': { status: 417, detail: 'The only supported expectation is 100-continue.' },
  'misdirected-request': {
    status: 421,
    detail:
      'This port accepts only requests for an IP address, localhost or a host name in the settings of the service. Use one of them, or ask the operator to set this name.',
  },
  'idempotency-key-reused': {
    status: 422,
    detail:
      'This Idempotency-Key was used for another body less than a day ago. Nothing was written. Use a new key for a new item.',
  },
  'headers-too-large': { status: 431, detail: 'The request line and the header fields are too long together.' },
  internal: {
    status: 500,
    detail: 'An unexpected error occurred. The log has the cause under the X-Request-Id of this response.',
  },
  rejected: {
    status: 500,
    detail:
      'The storage rejects this request and would reject it again. Nothing was written. The log has the cause under the X-Request-Id of this response.',
  },
  unavailable: { status: 503, detail: 'The storage is not available. Nothing was written. Try again.' },
  'outcome-unknown': {
    status: 503,
    detail:
      'The storage did not confirm the write, which may or may not have been applied. A POST with an Idempotency-Key can be retried unchanged. For any other request, check whether the write was applied before you retry it.',
  },
  overloaded: { status: 503, detail: 'The service is overloaded. The request was not processed. Try again.' },
  'search-too-broad': { status: 503, detail: 'The search timed out. Add a filter or use other terms.' },
  'not-ready': { status: 503, detail: 'The service is not ready.' },
  'ids-exhausted': {
    status: 507,
    detail: `Every id up to ${maxId} has been assigned, and none is assigned again. Nothing was written. Deleting items does not help; all requests but creations still work.`,
  },
  'storage-full': {
    status: 507,
    detail:
      'The storage is full. Nothing was written. Delete items to free space. An Idempotency-Key takes space for a day.',
  },
} as const

export type ProblemName = keyof typeof problemTable

export const problemNames = Object.keys(problemTable) as readonly ProblemName[]

/** The codes of errors. The OpenAPI document shows this table too. */
export const errorCodes = {
  required: 'The field is missing.',
  type: 'The value has the wrong JSON type.',
  length: 'The text is too short or too long, counted in code points.',
  encoding: 'The text is not valid Unicode, or the parameter is not percent-encoded UTF-8.',
  json: 'The body is not JSON.',
  integer: 'The parameter is not a positive integer.',
  ordering: 'The ordering names an unknown field, or a field twice.',
  search: 'The search has too many terms.',
  cursor: 'The cursor is malformed or of another list, or both `after` and `before` are present.',
  unknown: 'The parameter is unknown, or a PATCH has only unknown fields.',
  repeated: 'The parameter appears more than once.',
} as const

/** The reason for rejecting a field of the body or a parameter. Its codes include those of the domain. */
export type RequestReason = Reason<keyof typeof errorCodes>

export type ProblemType = `urn:snippets:${ProblemName}`

export const problemType = (name: ProblemName): ProblemType => `urn:snippets:${name}`

/** Returns a name such as "Not found". */
export const problemTitle = (name: ProblemName): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')

/** The limits behind `overloaded`. `searches` also stands for other expensive pages. */
export type OverloadLimit = 'connections' | 'unsentBytes' | 'bodyBytes' | 'pipelining' | 'searches'

/** A problem (RFC 9457). The body omits `limit`, which is for the operator. */
export type Problem = Readonly<{
  type: ProblemType
  title: string
  status: number
  detail: string
  errors?: readonly (RequestReason & Readonly<Record<string, string>>)[]
  headers?: Readonly<Record<string, string>>
  limit?: OverloadLimit
}>

type Specifics = Partial<Pick<Problem, 'detail' | 'errors' | 'headers' | 'limit'>>

export const makeProblem = (name: ProblemName, specifics: Specifics = {}): Problem => {
  const { status, detail } = problemTable[name]
  return { type: problemType(name), title: problemTitle(name), status, detail, ...specifics }
}

/** The headers of a response that is worth a retry after a second. */
export const retryAfter = { 'Retry-After': '1' } as const

export const makeOverloadProblem = (limit: OverloadLimit, specifics: Specifics = {}): Problem =>
  makeProblem('overloaded', { headers: retryAfter, ...specifics, limit })

export const problemBody = ({ type, title, status, detail, errors }: Problem): string =>
  JSON.stringify({ type, title, status, detail, errors })

/** Creates a problem whose detail repeats every message, for clients that show only the detail. */
export const makeValidationProblem = (
  problemName: 'malformed-body' | 'invalid-body' | 'invalid-query',
  reasons: readonly NamedReason<RequestReason>[],
): Problem => {
  const place = problemName === 'invalid-query' ? 'parameter' : 'field'
  return makeProblem(problemName, {
    detail: reasons.map(({ message }) => message).join('; '),
    errors: reasons.map(({ name, ...reason }) => ({ [place]: name, ...reason })),
  })
}

/** The maximum length of a name in a message. */
const maxNameLength = 40

export const truncate = (name: string): string =>
  (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name).toWellFormed()

/** Returns the name of a field or parameter for a message. */
export const shownName = (name: string): string => truncate(name) || 'an empty name'

export const makeMethodNotAllowed = (method: string, allowed: readonly string[]): Problem =>
  makeProblem('method-not-allowed', {
    detail: `This path does not support ${method}; it supports ${allowed.join(', ')}.`,
    headers: { Allow: allowed.join(', ') },
  })

export const makeBadRequest = (detail: string): Problem => makeProblem('bad-request', { detail })

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

import type { StorageError } from '@snippets/domain/errors.js'

export type ProblemError = Readonly<
  { field: string; code: string; message: string } | { parameter: string; code: string; message: string }
>

/** An RFC 9457 problem: what a client is told when it does not get what it asked for. */
export type Problem = Readonly<{
  type: `urn:snippets:${string}`
  title: string
  status: number
  detail: string
  errors?: readonly ProblemError[]
  headers?: Readonly<Record<string, string>>
}>

export const problemBody = ({ type, title, status, detail, errors }: Problem): string =>
  JSON.stringify({ type, title, status, detail, errors })

export const notFound: Problem = {
  type: 'urn:snippets:not-found',
  title: 'Not found',
  status: 404,
  detail: 'There is nothing at this path.',
}

export const methodNotAllowed = (method: string, allowed: readonly string[]): Problem => ({
  type: 'urn:snippets:method-not-allowed',
  title: 'Method not allowed',
  status: 405,
  detail: `This path does not offer ${method}; it offers ${allowed.join(', ')}.`,
  headers: { Allow: allowed.join(', ') },
})

export const invalidBody = (errors: readonly ProblemError[]): Problem => ({
  type: 'urn:snippets:invalid-body',
  title: 'The body breaks a rule',
  status: 400,
  detail: errors.map(({ message }) => message).join('; '),
  errors,
})

export const invalidQuery = (errors: readonly ProblemError[]): Problem => ({
  type: 'urn:snippets:invalid-query',
  title: 'The query string breaks a rule',
  status: 400,
  detail: errors.map(({ message }) => message).join('; '),
  errors,
})

export const malformedBody = (code: string, message: string): Problem => ({
  type: 'urn:snippets:malformed-body',
  title: 'The body is not a JSON object',
  status: 400,
  detail: message,
  errors: [{ field: 'body', code, message }],
})

export const badRequest = (detail: string): Problem => ({
  type: 'urn:snippets:bad-request',
  title: 'Bad request',
  status: 400,
  detail,
})

export const requestTimeout: Problem = {
  type: 'urn:snippets:request-timeout',
  title: 'Request timeout',
  status: 408,
  detail: 'The request did not arrive completely in time.',
}

export const bodyTooLarge = (limit: number): Problem => ({
  type: 'urn:snippets:body-too-large',
  title: 'Body too large',
  status: 413,
  detail: `A body may have ${limit} bytes at the most.`,
})

export const queryTooLong = (limit: number): Problem => ({
  type: 'urn:snippets:query-too-long',
  title: 'Query string too long',
  status: 414,
  detail: `A query string may have ${limit} characters at the most.`,
})

export const unsupportedMediaType = (detail: string, headers: Readonly<Record<string, string>>): Problem => ({
  type: 'urn:snippets:unsupported-media-type',
  title: 'Unsupported media type',
  status: 415,
  detail,
  headers,
})

export const expectationFailed: Problem = {
  type: 'urn:snippets:expectation-failed',
  title: 'Expectation failed',
  status: 417,
  detail: 'The only expectation that can be met is 100-continue.',
}

export const headersTooLarge: Problem = {
  type: 'urn:snippets:headers-too-large',
  title: 'Request header fields too large',
  status: 431,
  detail: 'The request line and the header fields are too long together.',
}

export const internal: Problem = {
  type: 'urn:snippets:internal',
  title: 'Internal error',
  status: 500,
  detail: 'Something went wrong here. The log has the cause under the X-Request-Id of this answer.',
}

const preconditionFailed: Problem = {
  type: 'urn:snippets:precondition-failed',
  title: 'Precondition failed',
  status: 412,
  detail:
    'The snippet has changed: it is in no state that the request names. Get it again, then decide. Nothing was written.',
}

const idsExhausted: Problem = {
  type: 'urn:snippets:ids-exhausted',
  title: 'No id is left',
  status: 507,
  detail: 'Every id up to 9223372036854775807 has been handed out. Nothing was written.',
}

const unavailable: Problem = {
  type: 'urn:snippets:unavailable',
  title: 'Storage unavailable',
  status: 503,
  detail: 'The storage does not answer. Nothing was written. Try again.',
  headers: { 'Retry-After': '1' },
}

const outcomeUnknown: Problem = {
  type: 'urn:snippets:outcome-unknown',
  title: 'Storage unavailable, outcome unknown',
  status: 503,
  detail:
    'The storage took the write but its answer was lost, so it may or may not have happened. Look before trying again.',
  headers: { 'Retry-After': '1' },
}

/** The one place where what went wrong becomes a status. */
export const problemOf = (error: StorageError): Problem => {
  switch (error._tag) {
    case 'NotFound':
      return notFound
    case 'Stale':
      return preconditionFailed
    case 'IdsExhausted':
      return idsExhausted
    case 'Unavailable':
      return error.outcome === 'unknown' ? outcomeUnknown : unavailable
    case 'Corrupt':
      return internal
  }
}

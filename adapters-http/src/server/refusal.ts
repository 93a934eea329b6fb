import { randomUUID } from 'node:crypto'
import { type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import { problemJson } from '../answer/media-types.js'
import { badRequest, type Problem, problem, problemBody } from '../answer/problems.js'

/** The answer to what Node refuses before there is a request to hand out. Undefined when the connection itself is gone. */
export const problemOfNode = ({ code = '' }: NodeJS.ErrnoException): Problem | undefined => {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers-too-large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return problem('body-too-large')
  return code.startsWith('HPE_') ? badRequest('This is not a well-formed HTTP request.') : undefined
}

export const requestTimeout = problem('request-timeout')

export const connectNotSupported = badRequest('CONNECT is not supported.')

export const refuseWith =
  (problem: Problem): RequestListener =>
  (_req, res) =>
    refuseBy(res, problem)

/** Refuses a request, and closes the connection. */
export const refuseBy = (res: ServerResponse, problem: Problem): void => {
  res.shouldKeepAlive = false
  answerWith(res, problem)
}

/** Refuses a request, and leaves the connection open for the next one. */
export const answerWith = (res: ServerResponse, problem: Problem): void => {
  res.writeHead(problem.status, headersOf(problem)).end(problemBody(problem))
}

/** The whole answer as it goes over the wire, where there is no response to write it to. */
export const rawRefusal = (problem: Problem): string => {
  const headers = Object.entries({ ...headersOf(problem), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const start = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  return [start, ...headers, `Date: ${new Date().toUTCString()}`, '', problemBody(problem)].join('\r\n')
}

const headersOf = (problem: Problem) => ({
  'Content-Type': problemJson,
  'Content-Length': Buffer.byteLength(problemBody(problem)),
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': randomUUID(),
  'Cache-Control': 'no-cache',
  ...problem.headers,
})

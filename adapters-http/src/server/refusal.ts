import { randomUUID } from 'node:crypto'
import { type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import { problemJson } from '../media-types.js'
import {
  badRequest,
  bodyTooLarge,
  expectationFailed,
  headersTooLarge,
  type Problem,
  problemBody,
  requestTimeout,
} from '../problem.js'

/** The answer to what Node refuses before there is a request to hand out. Undefined when the connection itself is gone. */
export const problemOfNode = ({ code = '' }: NodeJS.ErrnoException): Problem | undefined => {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return bodyTooLarge(0)
  return code.startsWith('HPE_') ? badRequest('This is not a well-formed HTTP request.') : undefined
}

export const noProxy = badRequest('This server is no proxy.')

export const refuseExpectation: RequestListener = (_req, res) => refuseBy(res, expectationFailed)

export const refuseBy = (res: ServerResponse, problem: Problem): void => {
  res.writeHead(problem.status, headersOf(problem)).end(problemBody(problem))
}

/** The whole answer as it goes over the wire, where there is no response to write it to. */
export const rawRefusal = (problem: Problem): string => {
  const headers = Object.entries(headersOf(problem)).map(([name, value]) => `${name}: ${value}`)
  const start = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  return [start, ...headers, `Date: ${new Date().toUTCString()}`, '', problemBody(problem)].join('\r\n')
}

const headersOf = (problem: Problem) => ({
  'Content-Type': problemJson,
  'Content-Length': Buffer.byteLength(problemBody(problem)),
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': randomUUID(),
  Connection: 'close',
})

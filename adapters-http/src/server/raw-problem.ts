import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Observe } from '../middleware/observe.js'
import { badRequest, makeProblem, type Problem, problemBody } from '../response/problems.js'
import { commonHeaders, problemJsonType } from '../response/response.js'

/** Returns the problem for an error of Node's parser, or none if the connection failed. */
export const problemOfParserError = ({ code = '' }: NodeJS.ErrnoException): Problem | undefined => {
  if (code === 'HPE_HEADER_OVERFLOW') return makeProblem('headers-too-large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return makeProblem('request-timeout')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return makeProblem('body-too-large', { detail: 'The chunk extensions are too long.' })
  if (code === 'HPE_INVALID_URL') return badRequest('The request target must be percent-encoded ASCII.')
  if (code === 'HPE_INVALID_METHOD')
    return badRequest('The service does not know the method, which is case-sensitive, or this is not an HTTP request.')
  return code.startsWith('HPE_') ? badRequest('This is not a well-formed HTTP request.') : undefined
}

/** Ends a connection with a problem when Node has no response object for it. */
export const endWithProblem = (socket: Socket, { headers, ...problem }: Problem, observe: Observe): void => {
  // an earlier response has already ended the connection
  if (!socket.writable) return
  const requestId = randomUUID()
  const body = problemBody(problem)
  const fields = {
    ...commonHeaders,
    ...headers,
    'Content-Type': problemJsonType,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const response = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${head.join('')}\r\n${body}`
  socket.end(response)
  observe({
    requestId,
    method: 'none',
    route: 'rejected',
    status: problem.status,
    problem: problem.type,
    limit: problem.limit,
    seconds: 0,
    bytes: Buffer.byteLength(response),
    clientLeft: false,
  })
}

/** The headers of every response, and those of CORS. */
const isCommon = (name: string): boolean =>
  /^(?:x-request-id|cache-control|x-content-type-options|vary|connection|access-control-.*)$/.test(name)

/** Sends the problem instead of the response that the app may have prepared. */
export const respondInstead = (res: ServerResponse, problem: Problem): void => {
  const body = problemBody(problem)
  res.problem = problem
  res.statusCode = problem.status
  res.statusMessage = STATUS_CODES[problem.status] ?? ''
  for (const name of res.getHeaderNames()) if (!isCommon(name)) res.removeHeader(name)
  res.setHeader('Content-Type', problemJsonType).setHeader('Content-Length', Buffer.byteLength(body)).end(body)
}

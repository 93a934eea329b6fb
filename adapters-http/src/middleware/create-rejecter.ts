import { randomUUID } from 'node:crypto'
import { maxHeaderSize } from 'node:http'
import { makeBadRequest, makeOverloadProblem, makeProblem, type Problem, problemBody } from '../formats/problems.js'
import { commonHeaders, problemJsonType, sentProblems } from '../response/response.js'
import { defaultLimits } from '../server/limits.js'
import { endSocket, type Rejecter, type Rejection } from '../server/rejecter.js'
import { corsHeaders } from './cors.js'
import type { Observe } from './create-app.js'

const problemOfRejection: Readonly<Record<Rejection, Problem>> = {
  'too many connections': makeOverloadProblem('connections'),
  'too many queued requests': makeOverloadProblem('pipelining', {
    detail: 'Too many requests wait on this connection. This one was not processed. Try again.',
  }),
  'too many chunks': makeProblem('body-too-large', { detail: 'The chunks are too small. Send larger ones.' }),
  'long chunk extensions': makeProblem('body-too-large', { detail: 'The chunk extensions are too long.' }),
  'long head': makeProblem('headers-too-large', {
    detail: `The request line and the header fields may have at most ${maxHeaderSize} bytes together.`,
  }),
  'late request': makeProblem('request-timeout', {
    detail: `A request must arrive completely within ${defaultLimits.requestMs / 1000} s.`,
  }),
  'malformed target': makeBadRequest('The request target must be percent-encoded ASCII.'),
  'unknown method': makeBadRequest(
    'The service does not know the method, which is case-sensitive, or this is not an HTTP request.',
  ),
  'malformed request': makeBadRequest('This is not a well-formed HTTP request.'),
  CONNECT: makeBadRequest('CONNECT is not supported.'),
}

const headersOf = ({ headers }: Problem) => ({ ...headers, 'Content-Type': problemJsonType })

/** Creates the responses of the server itself, with the headers of every response. */
export const createRejecter = (observe: Observe = () => {}, corsOrigins: readonly string[] = []): Rejecter => ({
  lastResponse: (rejection, req) => {
    const problem = problemOfRejection[rejection]
    const requestId = randomUUID()
    const response = {
      status: problem.status,
      headers: {
        ...commonHeaders,
        // read now, because the server frees the head of the request before it sends the response
        ...corsHeaders(corsOrigins, req),
        ...headersOf(problem),
        'X-Request-Id': requestId,
      },
      body: problemBody(problem),
    }
    // the server calls this when the earlier responses of the connection have ended
    return socket => {
      const bytes = endSocket(socket, response)
      if (bytes === 0) return
      const { status, type, limit } = problem
      const observed = { requestId, method: 'none', route: 'rejected', status, problem: type, limit }
      observe({ ...observed, seconds: 0, bytes, clientLeft: false })
    }
  },
  respondInstead: (rejection, res) => {
    const problem = problemOfRejection[rejection]
    sentProblems.set(res, problem)
    res.statusCode = problem.status
    // the app has set the other headers
    res.setHeaders(new Map(Object.entries(headersOf(problem)))).end(problemBody(problem))
  },
})

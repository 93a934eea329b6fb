import type { IncomingMessage } from 'node:http'
import { badRequest, type Problem, problem } from '../answer/problems.js'

/** The problem of a request that Node's parser accepts but that must not be served. */
export const requestFault = ({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): Problem | undefined => {
  if (httpVersionMajor !== 1) return wrongVersion
  const { 'transfer-encoding': coding, expect } = headers
  // HTTP/1.0 has no codings, so the framing is not to be trusted (RFC 9112, 6.1)
  if (coding !== undefined && httpVersionMinor === 0) return unknownCoding
  // a body in another coding would be taken for what it is not (RFC 9112, 6.1)
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding
  // HTTP/1.0 has no expectations (RFC 9110, 10.1.1)
  const isExpectant = expect !== undefined && httpVersionMinor > 0
  return isExpectant && expect.toLowerCase() !== '100-continue' ? unknownExpectation : undefined
}

const wrongVersion = badRequest('Only HTTP/1.0 and HTTP/1.1 are supported.')
const unknownCoding = badRequest('The only supported Transfer-Encoding is chunked.')
const unknownExpectation = problem('expectation-failed')

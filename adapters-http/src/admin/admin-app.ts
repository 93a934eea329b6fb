import type { IncomingMessage, RequestListener } from 'node:http'
import { problemJson } from '../answer/media-types.js'
import { methodNotAllowed, type Problem, problem, problemBody } from '../answer/problems.js'

/** Plain data, which can pass from one thread to another. */
export type AdminAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>

export type AdminPages = ReadonlyMap<string, () => Promise<AdminAnswer>>

/** Answers an operator's tools. For a listener of its own, on a port that the public does not reach. */
export const createAdminApp = (pages: AdminPages): RequestListener => {
  const answer = async ({ method = '', url = '' }: IncomingMessage): Promise<AdminAnswer> => {
    const page = pages.get(url.replace(/\?.*/, ''))
    if (page === undefined) return refusal(problem('unknown-path'))
    return method === 'GET' || method === 'HEAD' ? page() : refusal(methodNotAllowed(method, ['GET', 'HEAD']))
  }

  return async (req, res) => {
    const { status, headers, body } = await answer(req).catch(() => broken)
    // the server has answered: the rest of the request was malformed
    if (res.headersSent) return
    res.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Length': Buffer.byteLength(body), ...headers })
    res.end(body)
  }
}

export const text = (type: string, body: string): AdminAnswer => ({
  status: 200,
  headers: { 'Content-Type': type },
  body,
})

export const refusal = (problem: Problem): AdminAnswer => ({
  status: problem.status,
  headers: { 'Content-Type': problemJson, ...problem.headers },
  body: problemBody(problem),
})

export const broken = refusal(problem('internal'))

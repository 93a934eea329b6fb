import type { IncomingMessage, RequestListener } from 'node:http'
import { type Either, isRight } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { problemJson } from '../answer/media-types.js'
import { methodNotAllowed, type Problem, problem, problemBody } from '../answer/problems.js'

/** What the page `/metrics` shows. */
export type MetricsPage = Readonly<{ contentType: string; metrics: () => Promise<string> }>

/** `ready` says in a sentence why the service is not ready. */
export type AdminDeps = Readonly<{
  ready: TaskEither<string, void>
  registry: MetricsPage
}>

type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>

/** Answers an operator's tools. For a listener of its own, on a port that the public does not reach. */
export const createAdminApp = ({ ready, registry }: AdminDeps): RequestListener => {
  const pages = new Map([
    ['/livez', async () => live],
    ['/readyz', async () => readiness(await ready())],
    ['/metrics', async () => text(registry.contentType, await registry.metrics())],
  ])

  const answer = async ({ method = '', url = '' }: IncomingMessage): Promise<Answer> => {
    const page = pages.get(url.replace(/\?.*/, ''))
    if (page === undefined) return refusal(problem('not-found'))
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

const text = (type: string, body: string): Answer => ({ status: 200, headers: { 'Content-Type': type }, body })

const live = text('application/json', '{"status":"live"}')
const isReady = text('application/json', '{"status":"ready"}')

const refusal = (problem: Problem): Answer => ({
  status: problem.status,
  headers: { 'Content-Type': problemJson, ...problem.headers },
  body: problemBody(problem),
})

const readiness = (ready: Either<string, void>): Answer =>
  isRight(ready) ? isReady : refusal(problem('not-ready', { detail: ready.left }))

const broken = refusal(problem('internal'))

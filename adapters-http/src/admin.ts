import type { IncomingMessage, RequestListener } from 'node:http'
import { type Either, isRight } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Observation } from './app.js'
import { problemJson } from './media-types.js'
import { internal, methodNotAllowed, notFound, type Problem, problemBody } from './problem.js'

export type Metrics = Readonly<{ observe: (observation: Observation) => void; registry: Registry }>

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took until the last byte of their answer was handed over',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return {
    observe: ({ method, route, status, seconds }) => durations.observe({ method, route, status }, seconds),
    registry,
  }
}

/** `ready` answers with the reason why not, in a sentence. */
export type AdminDeps = Readonly<{ ready: TaskEither<string, void>; registry: Registry }>

type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>

/** What an operator's tools ask, for a listener of its own on a port that the public does not reach. */
export const createAdminApp = ({ ready, registry }: AdminDeps): RequestListener => {
  const pages = new Map([
    ['/livez', async () => live],
    ['/readyz', async () => readiness(await ready())],
    ['/metrics', async () => text(registry.contentType, await registry.metrics())],
  ])

  const answer = async ({ method = '', url = '' }: IncomingMessage): Promise<Answer> => {
    const page = pages.get(url.replace(/\?.*/, ''))
    if (page === undefined) return refusal(notFound)
    return method === 'GET' || method === 'HEAD' ? page() : refusal(methodNotAllowed(method, ['GET', 'HEAD']))
  }

  return async (req, res) => {
    const { status, headers, body } = await answer(req).catch(() => broken)
    // the server has refused the request meanwhile, because its body was broken
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
  isRight(ready)
    ? isReady
    : refusal({ type: 'urn:snippets:not-ready', title: 'Not ready', status: 503, detail: ready.left })

const broken = refusal(internal)

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Log } from '@snippets/application/log.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { authenticate } from '../access/require-token.js'
import type { Token } from '../access/token.js'
import { methodNotAllowed, type Problem, problem, retryAfter } from '../response/problems.js'
import { type HttpResponse, ok, problemResponse } from '../response/response.js'

export type AdminOptions = Readonly<{
  /** Fails with a sentence that says why the service is not ready. */
  ready: TaskEither<string, void>
  /** The part of a prom-client registry that `/metrics` needs. */
  registry: Readonly<{ contentType: string; metrics: () => Promise<string> }>
  /** Returns a backup in pieces. The pieces are read once, or not at all. */
  backup: () => E.Either<Problem, AsyncIterable<string>>
  /** Returns the valid tokens. Without this option, only a server that `isLocal` sends backups. */
  tokens?: () => readonly Token[]
  isLocal: () => boolean
  log: Log
  isForThisService: (req: IncomingMessage) => boolean
}>

type Endpoint = Readonly<{ methods: readonly string[]; respond: (req: IncomingMessage) => Promise<HttpResponse> }>

const notLocal = problem('forbidden', {
  detail: 'A backup needs a token with the scope read, or an admin port on a loopback address: set API_TOKENS_FILE.',
})
const inProgress = problem('not-ready', { detail: 'Another backup is in progress.', headers: retryAfter })

/** Returns the listener of the admin port, which serves health checks, metrics and backups. */
export const adminApp = (options: AdminOptions): RequestListener => {
  const { ready, registry, log, isForThisService } = options
  const read = (respond: Endpoint['respond']): Endpoint => ({ methods: ['GET', 'HEAD'], respond })
  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/livez': read(async () => ok('{"status":"live"}')),
    '/readyz': read(async () =>
      pipe(
        await ready(),
        E.match(
          detail => problemResponse(problem('not-ready', { detail })),
          () => ok('{"status":"ready"}'),
        ),
      ),
    ),
    '/metrics': read(async () => ({
      status: 200,
      headers: { 'Content-Type': registry.contentType },
      body: await registry.metrics(),
    })),
    '/backup': { methods: ['GET'], respond: respondWithBackup(options) },
  }
  const respond = async (req: IncomingMessage): Promise<HttpResponse> => {
    const { method = '', url = '' } = req
    if (!isForThisService(req)) return problemResponse(problem('misdirected-request'))
    const endpoint = endpoints[url.replace(/\?.*/, '')]
    if (endpoint === undefined) return problemResponse(problem('unknown-path'))
    return endpoint.methods.includes(method)
      ? endpoint.respond(req)
      : problemResponse(methodNotAllowed(method, endpoint.methods))
  }
  return async (req, res) => {
    const response = await respond(req).catch(err => {
      log.error({ err }, 'an admin endpoint failed')
      return problemResponse(problem('internal', { detail: 'An unexpected error occurred. The log has the cause.' }))
    })
    send(res, response, err => log.error({ err }, 'a backup was interrupted'))
  }
}

/** Returns a function that streams a backup, one at a time. */
const respondWithBackup = ({ backup, tokens, isLocal }: AdminOptions): Endpoint['respond'] => {
  let isRunning = false
  const stream = (pieces: AsyncIterable<string>): HttpResponse => {
    isRunning = true
    const body = Readable.from(pieces, { highWaterMark: 1 }).once('close', () => {
      isRunning = false
    })
    return { status: 200, headers: { 'Content-Type': 'application/x-ndjson' }, body }
  }
  const authorized = (req: IncomingMessage): E.Either<Problem, unknown> => {
    if (tokens !== undefined) return authenticate(tokens(), req)
    return isLocal() ? E.right(undefined) : E.left(notLocal)
  }
  return async req =>
    pipe(
      authorized(req),
      E.chain(() => (isRunning ? E.left(inProgress) : backup())),
      E.match(problemResponse, stream),
    )
}

const send = (
  res: ServerResponse,
  { status, headers, body }: HttpResponse,
  onInterruption: (err: unknown) => void,
): void => {
  const isStream = body instanceof Readable
  // the server may have responded already to a malformed or late body
  if (res.headersSent) {
    if (isStream) body.destroy()
    return
  }
  res.writeHead(status, { 'Cache-Control': 'no-store', ...headers })
  if (isStream) pipeline(body, res, err => err && onInterruption(err))
  else res.end(body)
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Log } from '@snippets/application/log.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { methodNotAllowed, problem } from '../response/problems.js'
import { type HttpResponse, ok, problemResponse } from '../response/response.js'
import { type BackupOptions, backupEndpoint } from './backup.js'

/** The part of a prom-client registry that `/metrics` needs. */
type MetricsRegistry = Readonly<{ contentType: string; metrics: () => Promise<string> }>

export type AdminOptions = BackupOptions &
  Readonly<{
    /** Fails with a sentence that says why the service is not ready. */
    ready: TaskEither<string, void>
    registry: MetricsRegistry
    log: Log
    isForThisService: (req: IncomingMessage) => boolean
  }>

/** Returns the listener of the admin port, which serves health checks, metrics and backups. */
export const adminApp = ({ ready, registry, log, isForThisService, ...backup }: AdminOptions): RequestListener => {
  const respondWithBackup = backupEndpoint(backup)
  const endpoints: Readonly<Record<string, () => Promise<HttpResponse>>> = {
    '/livez': async () => ok('{"status":"live"}'),
    '/readyz': async () =>
      pipe(
        await ready(),
        E.match(
          detail => problemResponse(problem('not-ready', { detail })),
          () => ok('{"status":"ready"}'),
        ),
      ),
    '/metrics': async () => ({
      status: 200,
      headers: { 'Content-Type': registry.contentType },
      body: await registry.metrics(),
    }),
  }
  const respond = async (req: IncomingMessage): Promise<HttpResponse> => {
    const { method = '', url = '' } = req
    if (!isForThisService(req)) return problemResponse(problem('misdirected-request'))
    const path = url.replace(/\?.*/, '')
    if (path === '/backup') return respondWithBackup(req)
    const endpoint = endpoints[path]
    if (endpoint === undefined) return problemResponse(problem('unknown-path'))
    return method === 'GET' || method === 'HEAD'
      ? endpoint()
      : problemResponse(methodNotAllowed(method, ['GET', 'HEAD']))
  }
  return async (req, res) => {
    const response = await respond(req).catch(err => {
      log.error({ err }, 'an admin endpoint failed')
      return problemResponse(problem('internal', { detail: 'An unexpected error occurred. The log has the cause.' }))
    })
    send(res, response, err => log.error({ err }, 'a backup was interrupted'))
  }
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

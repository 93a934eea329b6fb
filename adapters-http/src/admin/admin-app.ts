import type { IncomingMessage } from 'node:http'
import type { Log } from '@snippets/domain/ports/log.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import Koa from 'koa'
import { checkRequest } from '../middleware/check-request.js'
import { handleErrors, recordBodyError } from '../middleware/handle-errors.js'
import { createHostCheck } from '../middleware/host-check.js'
import { observeRequests } from '../middleware/observe.js'
import { createRejecter } from '../middleware/rejections.js'
import { setRequestId } from '../middleware/request-id.js'
import { authenticate } from '../middleware/require-token.js'
import type { Token } from '../middleware/token.js'
import { makeMethodNotAllowed, makeProblem, type Problem, retryAfter } from '../response/problems.js'
import { type HttpResponse, makeJsonResponse, makeProblemResponse } from '../response/response.js'
import { sendProblem, sendWithin } from '../response/write-response.js'
import { type Address, listen, type Server, type Transport } from '../server/listen.js'

type AdminOptions = Readonly<{
  /** Fails with a sentence that says why the service is not ready. */
  ready: TaskEither<string, unknown>
  /** The part of a prom-client registry that `/metrics` needs. */
  registry: Readonly<{ contentType: string; metrics: () => Promise<string> }>
  /** Returns a backup in pieces, if the storage has backups. Opens the rows when the first piece is read. */
  backup: TaskEither<string, AsyncIterable<string> | undefined>
  /** Returns the valid tokens. Without this option, only a server that `isLocal` sends backups. */
  tokens?: (() => readonly Token[]) | undefined
  /** Called when a backup has been sent. */
  onBackup: () => void
  log: Log
}>

type Endpoint = (req: IncomingMessage) => Promise<HttpResponse>

const methods = ['GET', 'HEAD']

const notLocal = makeProblem('forbidden', {
  detail: 'A backup needs a token with the scope read, or an admin port on a loopback address: set API_TOKENS_FILE.',
})
const noBackup = makeProblem('unknown-path', {
  detail: 'This storage has no backup here. docs/deploying.md says how to back it up.',
})
const notReady = (detail: string): Problem => makeProblem('not-ready', { detail })
const inProgress = makeProblem('not-ready', { detail: 'Another backup is in progress.', headers: retryAfter })

/**
 * Opens the admin port, which serves health checks, metrics and backups. A server that `isLocal` answers only requests
 * for IP addresses, localhost and `hosts`.
 */
export const serveAdmin = (address: Address, hosts: readonly string[], options: AdminOptions): Promise<Server> =>
  listen(
    address,
    {},
    createRejecter(() => {}, []),
    transport => createAdminApp(options, hosts, transport).callback(),
  )

const createAdminApp = (options: AdminOptions, hosts: readonly string[], transport: Transport): Koa => {
  const { ready, registry, log } = options
  const { isLocal, longBodies } = transport
  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/livez': async () => makeJsonResponse('{"status":"live"}'),
    '/readyz': async () => {
      const answer = await ready()
      if (E.isLeft(answer)) return makeProblemResponse(notReady(answer.left))
      return makeJsonResponse('{"status":"ready"}')
    },
    '/metrics': async () => ({
      status: 200,
      headers: { 'Content-Type': registry.contentType },
      body: await registry.metrics(),
    }),
    '/backup': backupEndpoint(options, isLocal),
  }
  const app = new Koa()
  app.use(setRequestId)
  app.use(
    observeRequests(({ requestId, status, err }) => {
      if (err) log.error({ requestId, err }, 'an admin endpoint failed')
      else if (status === 401)
        log.warn({ requestId }, 'a backup was rejected: its token is missing, unknown or revoked')
    }),
  )
  app.use(handleErrors)
  app.on('error', recordBodyError)
  app.use(checkRequest(isLocal ? createHostCheck(hosts) : () => true))
  app.use(async ctx => {
    ctx.set('Cache-Control', 'no-store')
    const respond = endpoints[ctx.path]
    if (respond === undefined) return sendProblem(ctx, makeProblem('unknown-path'))
    if (!methods.includes(ctx.method)) return sendProblem(ctx, makeMethodNotAllowed(ctx.method, methods))
    sendWithin(longBodies, ctx, await respond(ctx.req))
  })
  return app
}

/** Returns a function that streams a backup, one at a time. */
const backupEndpoint = ({ ready, backup, tokens, onBackup, log }: AdminOptions, isLocal: boolean): Endpoint => {
  let isRunning = false
  const logBreak = async () => {
    const answer = await ready()
    const fields = E.isLeft(answer) ? { reason: answer.left } : {}
    log.warn(fields, 'a backup broke off: the rows that were sent are incomplete')
  }
  const stream = (pieces: AsyncIterable<string>, method: string | undefined, token?: Token): HttpResponse => {
    isRunning = true
    let bytes = 0
    const counted = async function* () {
      for await (const piece of pieces) {
        bytes += Buffer.byteLength(piece)
        yield piece
      }
    }
    const onEnd = (wasComplete: boolean): void => {
      isRunning = false
      if (wasComplete) {
        log.info({ token: token?.name, bytes }, 'a backup was sent')
        onBackup()
      } else if (method !== 'HEAD') void logBreak()
    }
    const body = { pieces: counted(), onEnd }
    return { status: 200, headers: { 'Content-Type': 'application/x-ndjson' }, body }
  }
  const authorized = (req: IncomingMessage): E.Either<Problem, Token | undefined> => {
    if (tokens !== undefined) return authenticate(tokens(), req)
    return isLocal ? E.right(undefined) : E.left(notLocal)
  }
  return async req => {
    const allowed = authorized(req)
    if (E.isLeft(allowed)) return makeProblemResponse(allowed.left)
    const pieces = await backup()
    if (E.isLeft(pieces)) return makeProblemResponse(notReady(pieces.left))
    if (pieces.right === undefined) return makeProblemResponse(noBackup)
    return isRunning ? makeProblemResponse(inProgress) : stream(pieces.right, req.method, allowed.right)
  }
}

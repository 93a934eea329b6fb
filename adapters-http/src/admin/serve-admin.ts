import type { IncomingMessage } from 'node:http'
import type { Log } from '@snippets/domain/ports/log.js'
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type Koa from 'koa'
import { makeMethodNotAllowed, makeProblem, type Problem, retryAfter } from '../formats/problems.js'
import { checkRequest } from '../middleware/check-request.js'
import { createApp } from '../middleware/create-app.js'
import { createRejecter } from '../middleware/create-rejecter.js'
import { authenticate, type Token } from '../middleware/tokens.js'
import {
  type HttpResponse,
  type LongBody,
  makeJsonResponse,
  makeProblemResponse,
  send,
  sendProblem,
} from '../response/response.js'
import { type Address, type Bodies, listen, type Server } from '../server/listen.js'

type AdminOptions = Readonly<{
  address: Address
  /** Host names of the service. A local server answers only requests for these, IP addresses, and localhost. */
  hosts: readonly string[]
  /** Fails with a sentence that says why the service is not ready. */
  ready: TaskEither<string, unknown>
  /** The part of a prom-client registry that `/metrics` needs. */
  registry: Readonly<{ contentType: string; metrics: () => Promise<string> }>
  /**
   * Returns a backup in pieces, if the storage has backups. Opens the rows when the first piece is read. Fails with a
   * sentence while the service starts or stops.
   */
  backup: IOEither<string, AsyncIterable<string> | undefined>
  /** Returns the valid tokens. Without this option, only a local server sends backups. */
  tokens?: (() => readonly Token[]) | undefined
  log: Log
}>

/** The server of the admin port. */
export type AdminServer = Server &
  Readonly<{
    /** Returns the Unix time of the last complete backup in milliseconds, or 0. */
    lastBackupMs: () => number
  }>

type Endpoint = (req: IncomingMessage) => Promise<HttpResponse>

const methods = ['GET', 'HEAD']

const notLocal = makeProblem('forbidden', {
  detail: 'A backup needs a token with the scope read, or an admin port that listens on a loopback address.',
})
const noBackup = makeProblem('unknown-path', {
  detail: 'This storage has no backup here. The guide to deployment says how to back it up.',
})
const notReady = (detail: string): Problem => makeProblem('not-ready', { detail })
const inProgress = makeProblem('not-ready', { detail: 'Another backup is in progress.', headers: retryAfter })

/** Opens the admin port, which serves health checks, metrics and backups. */
export const serveAdmin = async (options: AdminOptions): Promise<AdminServer> => {
  const backups: Backups = { isRunning: false, lastMs: 0 }
  const server = await listen(options.address, {}, createRejecter(), (isLocal, bodies) =>
    createAdmin(options, backups, isLocal, bodies).callback(),
  )
  return { ...server, lastBackupMs: () => backups.lastMs }
}

/** Whether a backup is being sent, and the time of the last complete one. */
type Backups = { isRunning: boolean; lastMs: number }

const createAdmin = (options: AdminOptions, backups: Backups, isLocal: boolean, bodies: Bodies): Koa => {
  const { hosts, ready, registry, log } = options
  const endpoints: Readonly<Record<string, Endpoint>> = {
    '/livez': async () => makeJsonResponse('{"status":"live"}'),
    '/readyz': async () => {
      const answer = await ready()
      return E.isLeft(answer) ? makeProblemResponse(notReady(answer.left)) : makeJsonResponse('{"status":"ready"}')
    },
    '/metrics': async () => ({
      status: 200,
      headers: { 'Content-Type': registry.contentType },
      body: await registry.metrics(),
    }),
    '/backup': createBackupEndpoint(options, backups, isLocal),
  }
  const app = createApp(bodies, ({ requestId, status, err }) => {
    if (err) log.error({ requestId, err }, 'an admin endpoint failed')
    else if (status === 401) log.warn({ requestId }, 'a backup was rejected: its token is missing, unknown or revoked')
  })
  app.use(checkRequest(isLocal ? hosts : undefined))
  app.use(async ctx => {
    ctx.set('Cache-Control', 'no-store')
    const respond = endpoints[ctx.path]
    if (respond === undefined) return sendProblem(ctx, makeProblem('unknown-path'))
    if (!methods.includes(ctx.method)) return sendProblem(ctx, makeMethodNotAllowed(ctx.method, methods))
    send(ctx, await respond(ctx.req))
  })
  return app
}

/** Returns a function that streams a backup, one at a time. */
const createBackupEndpoint = ({ backup, tokens, log }: AdminOptions, backups: Backups, isLocal: boolean): Endpoint => {
  const authorize = (req: IncomingMessage): E.Either<Problem, Token | undefined> => {
    if (tokens !== undefined) return authenticate(tokens(), req)
    return isLocal ? E.right(undefined) : E.left(notLocal)
  }
  const begin = (lines: AsyncIterable<string>, { socket }: IncomingMessage, token?: Token): LongBody => {
    backups.isRunning = true
    let bytes = 0
    const counted = async function* () {
      for await (const text of lines) {
        bytes += Buffer.byteLength(text)
        yield text
      }
    }
    const onClose = (): void => {
      backups.isRunning = false
      const fields = { token: token?.name, bytes }
      if (socket.destroyed) {
        // `backup` fails once the service stops: its sentence then says why this backup broke off
        const rows = backup()
        const reason = E.isLeft(rows) ? rows.left : undefined
        log.warn({ ...fields, reason }, 'a backup broke off: the rows that were sent are incomplete')
      } else {
        log.info(fields, 'a backup was sent')
        backups.lastMs = Date.now()
      }
    }
    return { pieces: counted(), onClose }
  }
  return async req => {
    const token = authorize(req)
    if (E.isLeft(token)) return makeProblemResponse(token.left)
    const lines = backup()
    if (E.isLeft(lines)) return makeProblemResponse(notReady(lines.left))
    if (lines.right === undefined) return makeProblemResponse(noBackup)
    if (backups.isRunning) return makeProblemResponse(inProgress)
    const body = req.method === 'HEAD' ? undefined : begin(lines.right, req, token.right)
    return { status: 200, headers: { 'Content-Type': 'application/x-ndjson' }, body }
  }
}

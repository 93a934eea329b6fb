import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { authenticate } from '../access/require-token.js'
import type { Token } from '../access/token.js'
import { methodNotAllowed, type Problem, problem, retryAfter } from '../response/problems.js'
import { type HttpResponse, problemResponse } from '../response/response.js'

export type BackupOptions = Readonly<{
  /** Returns a backup in pieces. The pieces are read once, or not at all. */
  backup: () => E.Either<Problem, AsyncIterable<string>>
  /** Returns the valid tokens. Without this option, only a server that `isLocal` sends backups. */
  tokens?: () => readonly Token[]
  isLocal: () => boolean
}>

const notLocal = problem('forbidden', {
  detail: 'A backup needs a token with the scope read, or an admin port on a loopback address: set API_TOKENS_FILE.',
})
const inProgress = problem('not-ready', { detail: 'Another backup is in progress.', headers: retryAfter })

/** Returns the endpoint that streams a backup, one at a time. */
export const backupEndpoint = ({ backup, tokens, isLocal }: BackupOptions) => {
  let isRunning = false
  const authorized = (req: IncomingMessage): E.Either<Problem, unknown> => {
    if (tokens !== undefined) return authenticate(tokens(), req)
    return isLocal() ? E.right(undefined) : E.left(notLocal)
  }
  const stream = (pieces: AsyncIterable<string>): HttpResponse => {
    isRunning = true
    const body = Readable.from(pieces, { highWaterMark: 1 }).once('close', () => {
      isRunning = false
    })
    return { status: 200, headers: { 'Content-Type': 'application/x-ndjson' }, body }
  }
  return async (req: IncomingMessage): Promise<HttpResponse> =>
    pipe(
      req.method === 'GET' ? authorized(req) : E.left(methodNotAllowed(req.method ?? '', ['GET'])),
      E.chain(() => (isRunning ? E.left(inProgress) : backup())),
      E.match(problemResponse, stream),
    )
}

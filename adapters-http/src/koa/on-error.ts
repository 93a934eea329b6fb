import { STATUS_CODES } from 'node:http'
import type { Context } from 'koa'
import { refused } from '../answer/answer.js'
import type { Log } from '../answer/log.js'
import { type Problem, problem } from '../answer/problems.js'
import { BrokenOffError } from '../answer/streamed-list.js'
import { about } from './log-cause.js'
import { writeDirectly } from './write-answer.js'

const internal = problem('internal')

type HttpError = Readonly<{ status: number; message: string; headers?: Readonly<Record<string, string>> }>

/** An error that middleware threw for the client to see, as by `ctx.throw(401, 'A token is needed.')`. */
const isForClient = (error: unknown): error is HttpError =>
  error instanceof Error && 'expose' in error && error.expose === true && 'status' in error

const problemOf = (error: unknown): Problem =>
  isForClient(error)
    ? {
        type: 'about:blank',
        title: STATUS_CODES[error.status] ?? 'Error',
        status: error.status,
        detail: error.message,
        ...(error.headers && { headers: error.headers }),
      }
    : internal

/** `ctx.onerror` with a problem for a body. Once the head is sent, only a cut connection can say that the rest is missing. */
export function onError(this: Context, error: unknown): void {
  // on-finished calls this with null when all went well
  if (error === null || wasReported(this, error)) return
  this.app.emit('error', toError(error), this)
  const { res } = this
  if (res.headersSent || !this.writable) {
    cut(this)
    return
  }
  // what middleware has set is about another answer, unless it lets a page read any answer
  for (const name of res.getHeaderNames()) if (!isForBrowsers(name)) res.removeHeader(name)
  void writeDirectly(this, refused(problemOf(error)))
}

/** By a reset, because HTTP/1.0 takes an ordinary close for the end of a response. */
const cut = ({ res, req }: Context): void => {
  if (req.httpVersionMinor === 0) req.socket.resetAndDestroy()
  else res.destroy()
}

const isForBrowsers = (header: string): boolean => header === 'vary' || header.startsWith('access-control-')

const latest = new WeakMap<Context, unknown>()

/** Koa reports the error of a body stream twice, from the stream and from the pipeline. */
const wasReported = (ctx: Context, error: unknown): boolean => {
  if (latest.has(ctx) && latest.get(ctx) === error) return true
  latest.set(ctx, error)
  return false
}

const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('something that is not an Error was thrown', { cause: thrown })

const clientHasLeft = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Not what was thrown for the client to see, and not that a client has left. */
export const logError = (log: Log, error: unknown, ctx: Context): void => {
  if (isForClient(error) || (ctx.req.socket.destroyed && clientHasLeft.has(codeOf(error)))) return
  const isBrokenOff = error instanceof BrokenOffError
  log.error({ ...about(ctx), err: isBrokenOff ? error.cause : error }, isBrokenOff ? error.message : 'a request failed')
}

import type { Log } from '@snippets/application/log.js'
import type { Context, Middleware } from 'koa'
import { logError } from '../logging/request-log.js'
import { problem } from '../response/problems.js'
import { TruncatedListError } from '../response/streamed-list.js'
import { sendProblem } from '../response/write-response.js'

const internal = problem('internal')

export const handleErrors =
  (log: Log): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      logError(log, ctx, error, 'unexpected error of a handler')
      sendProblem(ctx, internal)
    }
  }

/** The codes of errors that occur when the client has disconnected. */
const abortCodes: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

/** Logs an error of a response body, for the `error` event of an app. Koa emits some errors twice. */
export const logBodyError = (log: Log) => {
  const logged = new WeakSet<Error>()
  return (error: Error, ctx: Context): void => {
    if (logged.has(error) || ('code' in error && abortCodes.includes(error.code))) return
    logged.add(error)
    if (error instanceof TruncatedListError) logError(log, ctx, error.cause, error.message)
    else logError(log, ctx, error, 'unexpected error of a response body')
  }
}

import type { Context, Middleware } from 'koa'
import { makeProblem } from '../response/problems.js'
import { sendProblem } from '../response/write-response.js'

export const handleErrors: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    ctx.state.err = error
    sendProblem(ctx, makeProblem('internal'))
  }
}

/** The codes of errors that occur when the client has disconnected. */
const abortCodes: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

/** Records an error of a response body for the log. The response breaks off. A listener of the app's event `error`. */
export const recordBodyError = (error: Error, ctx: Context): void => {
  if (!('code' in error && abortCodes.includes(error.code))) ctx.state.err = error
}

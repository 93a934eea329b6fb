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

/** Listens to the event `error` of the app: an error has broken off a response body. Records it for the log. */
export const recordBodyError = (error: Error, ctx: Context): void => {
  if (!('code' in error && abortCodes.includes(error.code))) ctx.state.err = error
}

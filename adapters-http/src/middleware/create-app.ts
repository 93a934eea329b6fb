import { randomUUID } from 'node:crypto'
import Koa, { type Context, type Middleware } from 'koa'
import { makeProblem, type OverloadLimit, type ProblemType } from '../formats/problems.js'
import { commonHeaders, sendProblem, sentProblems } from '../response/response.js'
import type { Bodies } from '../server/listen.js'

// These declarations are ambient: without an import, they apply to every file of the package.
declare module 'koa' {
  interface DefaultState {
    requestId: string
    /** The host that the client names, and its port. HTTP/1.0 may name none. */
    authority?: string | undefined
    /** The path pattern of the route that responds. */
    route?: string
    tokenName?: string
    /** The id of the item in the path or of the created item. A malformed id stays out. */
    itemId?: string | undefined
    /** The reason why the storage is unavailable. */
    reason?: string
    /** The unexpected error behind the response. */
    err?: unknown
  }
  interface DefaultContext {
    /** Set on `app.context`, the prototype of every context. */
    bodies: Bodies
  }
}

/** A request whose response has ended. */
export type Observation = Readonly<{
  requestId: string
  /** The name of its token. Undefined without a valid token. */
  token?: string | undefined
  /** `none` if the server responded before the app. */
  method: string
  /** The path pattern. `none` without a route, `rejected` if the server responded before the app. */
  route: string
  /** The id of the item that the request names or creates. */
  id?: string | undefined
  /** Undefined if the connection closed before the response. */
  status: number | undefined
  problem: ProblemType | undefined
  limit: OverloadLimit | undefined
  seconds: number
  /** Bytes of the response that were written to the socket, with its head. */
  bytes: number
  clientLeft: boolean
  /** The reason why the storage is unavailable. If the database or disk failed, the storage logs the complete cause. */
  reason?: string | undefined
  /** An unexpected error, of a storage or of the service. */
  err?: unknown
}>

export type Observe = (observation: Observation) => void

/**
 * Creates an application whose first steps set the request ID, observe the request, and answer an unexpected error.
 * `bodies` receives and sends bodies within the limits of the server.
 */
export const createApp = (bodies: Bodies, observe: Observe): Koa => {
  const app = new Koa()
  app.context.bodies = bodies
  app.on('error', recordBodyError)
  return app.use(setFirstHeaders).use(observeRequests(observe)).use(handleErrors)
}

const headersOfAll = Object.entries(commonHeaders)

const wellFormed = /^[\w.:+/=-]{1,128}$/

/**
 * Sets the request ID and the headers of every response. Keeps a well-formed ID of the client, so that operators can
 * follow a request through several services.
 */
const setFirstHeaders: Middleware = ({ req, res, state }, next) => {
  const { 'x-request-id': given } = req.headers
  state.requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
  res.setHeader('X-Request-Id', state.requestId)
  for (const [name, value] of headersOfAll) res.setHeader(name, value)
  return next()
}

const observeRequests =
  (observe: Observe): Middleware =>
  ({ req, res, state }, next) => {
    const started = performance.now()
    const sentBefore = req.socket.bytesWritten
    res.once('close', () => {
      const bytes = req.socket.bytesWritten - sentBefore
      const problem = sentProblems.get(res)
      observe({
        requestId: state.requestId,
        token: state.tokenName,
        method: req.method ?? '',
        route: state.route ?? 'none',
        id: state.itemId,
        // 100 Continue is not the response yet
        status: bytes > 0 && res.headersSent ? res.statusCode : undefined,
        problem: problem?.type,
        limit: problem?.limit,
        seconds: (performance.now() - started) / 1000,
        bytes,
        // `writableFinished` is also true if the socket has dropped the last bytes
        clientLeft: req.socket.destroyed,
        reason: state.reason,
        err: state.err,
      })
    })
    return next()
  }

const handleErrors: Middleware = async (ctx, next) => {
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
const recordBodyError = (error: Error, ctx: Context): void => {
  if (!('code' in error && abortCodes.includes(error.code))) ctx.state.err = error
}

import * as O from 'fp-ts/lib/Option.js'
import type { Context, Middleware } from 'koa'
import type { ProblemType } from '../answer/problems.js'
import { routeOf } from './log.js'
import { traceIdOf } from './trace-id.js'

/** One request, when its response has ended. */
export type Observation = Readonly<{
  requestId: string
  /** Undefined without a well-formed `traceparent`. */
  traceId: string | undefined
  /** The name of its token. Undefined where no token is asked for, or none was good. */
  token: string | undefined
  method: string
  /** The pattern, never the path: that holds ids. `none` where no route answered, `refused` where the server did. */
  route: string
  /** Undefined when the connection closed before there was one. */
  status: number | undefined
  /** Undefined unless the response is a problem. */
  problem: ProblemType | undefined
  seconds: number
  /** Of the response with its head, as far as it was sent. */
  bytes: number
  /** Before it had all of the response. */
  clientLeft: boolean
}>

declare module 'node:http' {
  interface ServerResponse {
    /** The type of the problem with which the server answered a request that the app waits for. */
    problem?: ProblemType
  }
}

export type Observe = (observation: Observation) => void

export const observeWith =
  (observe: Observe): Middleware =>
  (ctx, next) => {
    const started = performance.now()
    const sentBefore = ctx.req.socket.bytesWritten
    ctx.res.once('close', () => observe(observationOf(ctx, started, sentBefore)))
    return next()
  }

const observationOf = (ctx: Context, started: number, sentBefore: number): Observation => {
  const { req, res } = ctx
  const bytes = req.socket.bytesWritten - sentBefore
  return {
    requestId: ctx.state.requestId,
    traceId: O.toUndefined(traceIdOf(req)),
    token: ctx.state.tokenName,
    method: ctx.method,
    route: routeOf(ctx),
    // 100 Continue is no answer yet
    status: bytes > 0 && res.headersSent ? res.statusCode : undefined,
    problem: ctx.state.problem ?? res.problem,
    seconds: (performance.now() - started) / 1000,
    bytes,
    // a response to a connection that is gone also finishes
    clientLeft: bytes === 0 || !res.writableFinished || req.errored !== null,
  }
}

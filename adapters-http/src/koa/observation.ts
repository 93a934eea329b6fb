import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { requestId } from './request-id.js'
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
  seconds: number
  /** Of the response with its head, as far as it was sent. */
  bytes: number
  /** Before it had all of the response. */
  clientLeft: boolean
}>

export type Observe = (observation: Observation) => void

const arrivals = new WeakMap<ServerResponse, number>()

/** For a request that has to wait before the application sees it. */
export const noteArrival = (res: ServerResponse, time: number): void => void arrivals.set(res, time)

export const observeEnd = (ctx: Context, observe: Observe): void => {
  const res: Observed = ctx.res
  const started = arrivals.get(res) ?? performance.now()
  res[begun] = { ctx, observe, started, sentBefore: ctx.req.socket.bytesWritten }
  // before whatever begins the next request, whose bytes are not its own. A response closes once, so it need not be `once`
  res.prependListener('close', observeClosed)
}

const begun = Symbol('begun')

type Begun = Readonly<{ ctx: Context; observe: Observe; started: number; sentBefore: number }>
type Observed = ServerResponse & { [begun]?: Begun }

/**
 * One function for all responses. With a closure for each, on 4,000 connections, whole requests outlived V8's young generation:
 * 3 KB each, and 10 ms for a collection that takes 2.
 */
function observeClosed(this: Observed): void {
  if (this[begun] === undefined) return
  const { ctx, observe, started, sentBefore } = this[begun]
  const { req } = ctx
  const bytes = req.socket.bytesWritten - sentBefore
  observe({
    requestId: requestId(ctx),
    traceId: traceIdOf(req),
    token: ctx.state.tokenName,
    method: req.method ?? '',
    route: ctx.routerPath ?? 'none',
    // 100 Continue is no answer yet
    status: bytes > 0 && this.headersSent ? this.statusCode : undefined,
    seconds: (performance.now() - started) / 1000,
    bytes,
    // a response to a connection that is gone also finishes
    clientLeft: bytes === 0 || !isSent(this) || req.errored !== null,
  })
}

/** Node 24 does not call a response finished that was sent on the short cut past it, whose socket it never had. */
const isSent = ({ writableFinished, writableEnded, socket }: ServerResponse): boolean =>
  writableFinished || (writableEnded && socket === null)

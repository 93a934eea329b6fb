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
  const { req, res } = ctx
  const started = arrivals.get(res) ?? performance.now()
  const { socket } = req
  const sentBefore = socket.bytesWritten
  // a response closes once, and `on` costs less than `once`
  res.on('close', () => {
    const bytes = socket.bytesWritten - sentBefore
    observe({
      requestId: requestId(ctx),
      traceId: traceIdOf(req),
      token: ctx.state.tokenName,
      method: req.method ?? '',
      route: ctx.routerPath ?? 'none',
      status: bytes > 0 ? res.statusCode : undefined,
      seconds: (performance.now() - started) / 1000,
      bytes,
      // a response to a connection that is gone also finishes
      clientLeft: !res.writableFinished || req.errored !== null,
    })
  })
}

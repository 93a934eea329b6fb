import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import * as O from 'fp-ts/lib/Option.js'
import { badRequest, type Problem, problem } from '../answer/problems.js'
import type { Observe } from '../middleware/observe.js'
import { defaultLimits, type ServerLimits } from './limits.js'
import { forget, PipelineQueue } from './pipeline-queue.js'
import { endWith, problemOfNode } from './raw-problem.js'
import { emptyAcceptQueue, stop } from './stop.js'
import { limitUnsentBytes, unsentBytes } from './unsent-bytes.js'

export type Listening = Readonly<{
  url: string
  /** Bytes of responses that the kernel has not taken yet. */
  unsentBytes: () => number
  /** Open connections. */
  connections: () => number
  /** Requests that wait for earlier ones of their connection. */
  queuedRequests: () => number
  /** Clients that a limit has disconnected since the start. */
  disconnected: () => number
  /** Makes every response from now on close its connection. */
  announceStop: () => void
  /** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys the rest. */
  stop: (graceMs: number) => Promise<void>
}>

/** Rejected connections that may be open for a moment, so that their clients can read why. */
const maxRejected = 256

const maxHeaderFields = 200

/** A connection that receives nothing between two checks, and has no request in progress, is idle. */
const idleCheckMs = 500

const overloaded = problem('overloaded', { headers: { 'Retry-After': '1' } })
const connectNotSupported = badRequest('CONNECT is not supported.')
const chunkedAhead = badRequest('A chunked body cannot be sent before the requests ahead of it have been answered.')
const tooManyFields = problem('headers-too-large', {
  detail: `A request may have at most ${maxHeaderFields} header fields.`,
})

const optionsOf = ({ headBytes, headMs, requestMs, idleMs }: ServerLimits): ServerOptions => ({
  maxHeaderSize: headBytes,
  // Node demands that the head has no more time than the request
  headersTimeout: Math.min(headMs, requestMs),
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  connectionsCheckingInterval: Math.min(1_000, headMs),
  // a missing Host is answered by the listener, with a problem
  requireHostHeader: false,
})

/** Listens with Node's own HTTP server, within limits. */
export const listen = async (
  listener: RequestListener,
  { host, port }: Readonly<{ host: string; port: number }>,
  changed: Partial<ServerLimits> = {},
  observe?: Observe,
): Promise<Listening> => {
  const limits = { ...defaultLimits, ...changed }
  const server = createServer(optionsOf(limits))
  // Node drops the fields past its limit without an error
  server.maxHeadersCount = maxHeaderFields + 1
  server.setTimeout(limits.stallMs)
  const sockets = new Set<Socket>()
  let isStopping = false
  /** Until the accept queue is empty: a client with a response would connect again, and it would never be. */
  let held: Promise<void> | undefined
  let disconnected = 0
  const disconnect = (socket: Socket): void => {
    disconnected++
    socket.destroy()
  }
  const begin = (res: ServerResponse, isLast: boolean): unknown => {
    // without an upgrade listener Node serves such a request as any other, but loses what follows it in its packet
    const isUpgrade = res.req.headers.upgrade !== undefined
    if (isUpgrade || (isLast && isStopping)) res.setHeader('Connection', 'close')
    return held === undefined ? listener(res.req, res) : held.then(() => listener(res.req, res))
  }
  const requests = new PipelineQueue({ begin, endWith: endWith(observe), disconnect })
  /** What a connection without a request in progress had received at the last check. */
  let received = new WeakMap<Socket, number>()
  const closeIdle = (): void => {
    for (const socket of sockets)
      if (!requests.isServing(socket) && socket.bytesRead === received.get(socket)) socket.destroy()
  }
  serve(server, { requests, sockets, limits, closeIdle })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host }, resolve)
  })
  // a connection that could not be accepted, for want of a file descriptor
  server.on('error', () => {})
  const stopLimiting = limitUnsentBytes(sockets, limits, disconnect)
  const idleCheck = setInterval(() => {
    if (!server.listening) closeIdle()
    const waiting = [...sockets].filter(socket => !requests.isServing(socket))
    received = new WeakMap(waiting.map(socket => [socket, socket.bytesRead]))
  }, idleCheckMs).unref()
  const announceStop = (): void => {
    isStopping = true
    for (const socket of sockets) requests.announceClose(socket)
  }
  return {
    url: urlOf(server.address()),
    unsentBytes: () => unsentBytes(sockets),
    connections: () => sockets.size,
    queuedRequests: () => requests.queued,
    disconnected: () => disconnected,
    announceStop,
    stop: async graceMs => {
      announceStop()
      held = emptyAcceptQueue(server, graceMs)
      await held
      await stop(server, sockets, graceMs)
      stopLimiting()
      clearInterval(idleCheck)
    },
  }
}

type Served = Readonly<{
  requests: PipelineQueue
  sockets: Set<Socket>
  limits: ServerLimits
  closeIdle: () => void
}>

const serve = (server: Server, { requests, sockets, limits, closeIdle }: Served): void => {
  /** Connections of which no more is served, with what they had sent until then. */
  const ended = new WeakMap<Socket, number>()
  const refuse = (socket: Socket, problem: Problem): void => {
    if (ended.has(socket)) return
    ended.set(socket, socket.bytesRead)
    requests.end(socket, problem)
  }
  const serveRequest: RequestListener = (req, res) => {
    const { socket } = req
    const endedAt = ended.get(socket)
    const hasTooManyFields = req.rawHeaders.length > 2 * maxHeaderFields
    // the pieces of a queued body are not counted
    const isChunkedAhead = requests.isServing(socket) && req.headers['transfer-encoding'] !== undefined
    if (endedAt === undefined && !hasTooManyFields && !isChunkedAhead && !socket.destroyed)
      return requests.listener(req, res)
    forget(req)
    req.resume()
    // enough to read the response, and no more
    if (endedAt !== undefined && (hasTooManyFields || socket.bytesRead - endedAt > limits.headBytes)) socket.destroy()
    if (!socket.destroyed) refuse(socket, hasTooManyFields ? tooManyFields : chunkedAhead)
  }

  server.maxConnections = limits.connections + maxRejected
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Node takes its own listener away at CONNECT, and an error without a listener ends the process
    socket.on('error', () => {})
    if (sockets.size <= limits.connections) return
    closeIdle()
    // a destroyed socket is in the set for a moment
    const open = [...sockets].filter(({ destroyed }) => !destroyed)
    if (open.length > limits.connections) refuse(socket, overloaded)
  })
  server.on('request', serveRequest)
  // a listener asks for the body itself, once it wants it
  server.on('checkContinue', serveRequest)
  server.on('checkExpectation', serveRequest)
  server.on('connect', ({ socket }) => refuse(socket, connectNotSupported))
  server.on('clientError', (error, socket) => {
    const fault = problemOfNode(error)
    // always true for HTTP
    if (O.isNone(fault) || !sockets.has(socket as Socket)) socket.destroy()
    else refuse(socket as Socket, fault.value)
  })
}

const urlOf = (bound: AddressInfo | string | null): string => {
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port')
  const { address, family, port } = bound
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { badRequest, type Problem, problem } from '../answer/problems.js'
import type { Observe } from '../middleware/observe.js'
import { defaultLimits, type ServerLimits } from './limits.js'
import { OneAtATime } from './one-at-a-time.js'
import { endWith, problemOfNode } from './raw-problem.js'
import { stop } from './stop.js'
import { limitUnsentBytes, unsentBytes } from './unsent-bytes.js'

export type Listening = Readonly<{
  url: string
  /** Bytes of answers that the kernel has not taken yet. */
  unsentBytes: () => number
  /** Open connections. */
  connections: () => number
  /** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys what is left. */
  stop: (graceMs: number) => Promise<void>
}>

/** Refused connections that may be open for a moment, so that their clients can read why. */
const maxRefused = 256

/** Without a byte in either direction, while a request is being answered. */
const stallMs = 120_000

const overloaded = problem('overloaded', { headers: { 'Retry-After': '1' } })
const connectNotSupported = badRequest('CONNECT is not supported.')
const chunkedAhead = badRequest('A chunked body cannot be sent before the requests ahead of it have been answered.')

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
  // no limit but that of the head's length: past a limit Node drops headers and says nothing
  server.maxHeadersCount = 0
  server.setTimeout(stallMs)
  const sockets = new Set<Socket>()
  const requests = serve(server, { listener, sockets, limits, observe })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host }, resolve)
  })
  // a connection that could not be accepted, for want of a file descriptor
  server.on('error', () => {})
  const stopSweeping = limitUnsentBytes(sockets, limits.unsentBytes)
  return {
    url: urlOf(server.address()),
    unsentBytes: () => unsentBytes(sockets),
    connections: () => sockets.size,
    stop: graceMs => {
      for (const socket of sockets) requests.announceClose(socket)
      return stop(server, sockets, graceMs).finally(stopSweeping)
    },
  }
}

type Served = Readonly<{
  listener: RequestListener
  sockets: Set<Socket>
  limits: ServerLimits
  observe: Observe | undefined
}>

const serve = (server: Server, { listener, sockets, limits, observe }: Served): OneAtATime => {
  /** What they still send is read, but not served. */
  const ended = new WeakSet<Socket>()
  const end = endWith(observe)
  const requests = new OneAtATime((res, isLast) => {
    // without an upgrade listener Node serves such a request as any other, but loses what follows it in its packet
    const isUpgrade = res.req.headers.upgrade !== undefined
    if (isUpgrade || (isLast && !server.listening)) res.setHeader('Connection', 'close')
    return listener(res.req, res)
  }, end)
  const refuse = (socket: Socket, problem: Problem): void => {
    if (ended.has(socket)) return
    ended.add(socket)
    requests.end(socket, problem)
  }
  const serveRequest: RequestListener = (req, res) => {
    const { socket, headers } = req
    if (ended.has(socket)) {
      // enough to read why, and no more
      if (socket.bytesRead > limits.headBytes) socket.destroy()
    } else if (headers['transfer-encoding'] !== undefined && requests.isServing(socket)) {
      // nobody counts the pieces of a body that waits
      req.resume()
      refuse(socket, chunkedAhead)
    } else requests.listener(req, res)
  }

  // Node's own also cuts off clients that have yet to read the end of their answers
  server.closeIdleConnections = () => {
    for (const socket of sockets) if (requests.isIdle(socket)) socket.destroy()
  }
  server.maxConnections = limits.connections + maxRefused
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Node takes its own listener away at CONNECT, and an error that nobody listens for ends the process
    socket.on('error', () => {})
    if (sockets.size <= limits.connections) return
    server.closeIdleConnections()
    // a closed one is among them for a moment
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
    // of an HTTP server all are
    if (fault === undefined || !sockets.has(socket as Socket)) socket.destroy()
    else refuse(socket as Socket, fault)
  })
  return requests
}

const urlOf = (bound: AddressInfo | string | null): string => {
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port')
  const { address, family, port } = bound
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

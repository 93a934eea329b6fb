import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import * as O from 'fp-ts/lib/Option.js'
import type { Observe } from '../middleware/observe.js'
import { isLoopback } from '../request/target.js'
import { badRequest, overloadProblem, type Problem, problem } from '../response/problems.js'
import { watchIdle } from './idle-connections.js'
import { defaultLimits, type ServerLimits } from './limits.js'
import { freeHead, PipelineQueue } from './pipeline-queue.js'
import { endWithProblem, problemOfParserError } from './raw-problem.js'
import { drainAcceptQueue, stop } from './stop.js'
import { limitUnsentBytes, unsentBytes } from './unsent-bytes.js'

export type RunningServer = Readonly<{
  url: string
  /** Whether only this machine can reach the server. */
  isLocal: boolean
  /** Bytes of responses that the process holds because clients have not read them. */
  unsentBytes: () => number
  connections: () => number
  /** Pipelined requests that wait for the responses ahead of theirs. */
  queuedRequests: () => number
  /** Clients disconnected so far: they queued too much, stalled, read too slowly or had the most unsent bytes. */
  disconnected: () => number
  /** From now on, adds `Connection: close` to the last response of each connection. */
  announceStop: () => void
  /** Drains the accept queue, stops accepting, waits up to `graceMs` for requests in flight, then destroys the rest. */
  stop: (graceMs: number) => Promise<void>
}>

/** Connections beyond the limit that may be open for a moment, so that their clients can read the 503. */
const maxRejected = 256

const maxHeaderFields = 200

const tooManyConnections = overloadProblem('MAX_CONNECTIONS')
const connectNotSupported = badRequest('CONNECT is not supported.')
const chunkedInQueue = badRequest('Send a request with a chunked body only after the responses to earlier requests.')
const tooManyFields = problem('headers-too-large', {
  detail: `A request may have at most ${maxHeaderFields} header fields.`,
})

const optionsOf = ({ headBytes, headMs, requestMs, idleMs }: ServerLimits): ServerOptions => ({
  maxHeaderSize: headBytes,
  // Node rejects a longer time for the head than for the request
  headersTimeout: Math.min(headMs, requestMs),
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  connectionsCheckingInterval: Math.min(1_000, headMs),
  // the app answers a missing Host with a problem
  requireHostHeader: false,
})

/** Starts a server of Node that enforces limits. */
export const listen = async (
  listener: RequestListener,
  { host, port }: Readonly<{ host: string; port: number }>,
  overrides: Partial<ServerLimits> = {},
  observe?: Observe,
): Promise<RunningServer> => {
  const limits = { ...defaultLimits, ...overrides }
  const server = createServer(optionsOf(limits))
  // Node drops the fields past its limit without an error
  server.maxHeadersCount = maxHeaderFields + 1
  const sockets = new Set<Socket>()
  let isStopping = false
  /** Resolves when the accept queue is empty. Requests wait for it: clients reconnect after `Connection: close`. */
  let drained: Promise<void> | undefined
  let disconnected = 0
  const disconnect = (socket: Socket): void => {
    disconnected++
    socket.destroy()
  }
  const begin = (res: ServerResponse, isLast: boolean): unknown => {
    // Node serves an upgrade request like others, but loses the bytes after it in the same packet
    const isUpgrade = res.req.headers.upgrade !== undefined
    if (isUpgrade || (isLast && isStopping)) res.setHeader('Connection', 'close')
    return drained === undefined ? listener(res.req, res) : drained.then(() => listener(res.req, res))
  }
  const pipelines = new PipelineQueue({ begin, endWith: endWithProblem(observe), disconnect })
  // also called for idle connections, which do not count as disconnected
  server.setTimeout(limits.stallMs, socket => (pipelines.isServing(socket) ? disconnect(socket) : socket.destroy()))
  addListeners(server, { pipelines, sockets, limits, closeIdle: watchIdle(server, sockets, pipelines) })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host }, resolve)
  })
  // an error without a listener ends the process
  server.on('error', () => {})
  const stopLimiting = limitUnsentBytes(sockets, limits, disconnect)
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port')
  const announceStop = (): void => {
    isStopping = true
    for (const socket of sockets) pipelines.announceClose(socket)
  }
  return {
    url: urlOf(bound),
    isLocal: isLoopback(bound.address),
    unsentBytes: () => unsentBytes(sockets),
    connections: () => sockets.size,
    queuedRequests: () => pipelines.queued,
    disconnected: () => disconnected,
    announceStop,
    stop: async graceMs => {
      announceStop()
      drained = drainAcceptQueue(server, graceMs)
      await drained
      await stop(server, sockets, graceMs)
      stopLimiting()
    },
  }
}

type ListenerContext = Readonly<{
  pipelines: PipelineQueue
  sockets: Set<Socket>
  limits: ServerLimits
  closeIdle: () => void
}>

const addListeners = (server: Server, { pipelines, sockets, limits, closeIdle }: ListenerContext): void => {
  /** Connections that were ended with a problem, and how many bytes they had sent by then. */
  const rejected = new WeakMap<Socket, number>()
  const reject = (socket: Socket, problem: Problem): void => {
    if (rejected.has(socket)) return
    rejected.set(socket, socket.bytesRead)
    pipelines.end(socket, problem)
  }
  const serveRequest: RequestListener = (req, res) => {
    const { socket } = req
    const bytesAtRejection = rejected.get(socket)
    const hasTooManyFields = req.rawHeaders.length > 2 * maxHeaderFields
    // `maxChunks` of read-body.ts is not enforced while a request is queued
    const isQueuedChunked = pipelines.isServing(socket) && req.headers['transfer-encoding'] !== undefined
    if (bytesAtRejection === undefined && !hasTooManyFields && !isQueuedChunked && !socket.destroyed)
      return pipelines.listener(req, res)
    freeHead(req)
    req.resume()
    // the client keeps sending instead of reading the problem
    if (bytesAtRejection !== undefined && (hasTooManyFields || socket.bytesRead - bytesAtRejection > limits.headBytes))
      socket.destroy()
    if (!socket.destroyed) reject(socket, hasTooManyFields ? tooManyFields : chunkedInQueue)
  }

  server.maxConnections = limits.connections + maxRejected
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Node removes its own listener at CONNECT, and an error without a listener ends the process
    socket.on('error', () => {})
    if (sockets.size <= limits.connections) return
    closeIdle()
    // a destroyed socket stays in the set until its close event
    const open = [...sockets].filter(({ destroyed }) => !destroyed)
    if (open.length > limits.connections) reject(socket, tooManyConnections)
  })
  server.on('request', serveRequest)
  // the reader of the body sends 100 Continue
  server.on('checkContinue', serveRequest)
  server.on('checkExpectation', serveRequest)
  server.on('connect', ({ socket }) => reject(socket, connectNotSupported))
  server.on('clientError', (error, socket) => {
    const parserProblem = problemOfParserError(error)
    // a socket in the set is a `Socket`: the cast is safe
    if (O.isNone(parserProblem) || !sockets.has(socket as Socket)) socket.destroy()
    else reject(socket as Socket, parserProblem.value)
  })
}

const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

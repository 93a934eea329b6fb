import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Budget } from './budget.js'
import { Connections } from './connections.js'
import { createExclusiveTurn } from './exclusive-turn.js'
import { defaultLimits, maxHeaderFields, type ServerLimits } from './limits.js'
import { LongResponses } from './long-responses.js'
import { closeSocket, type Rejecter, rejectionOf } from './rejecter.js'
import { createBodyReceiver, createChunkLimitedMessage, type ReceiveBody } from './request-bodies.js'

export type Address = Readonly<{ host: string; port: number }>

export type Server = Readonly<{
  url: string
  /** Tells whether only this machine can reach the server. */
  isLocal: boolean
  connections: () => number
  /** Connections evicted so far to make room for others. */
  evictedConnections: () => number
  /** The memory that long bodies of requests hold. */
  bodyBytes: () => number
  /** From now on, adds `Connection: close` to the last response of each connection. */
  announceStop: () => void
  /** Empties the accept queue, stops accepting, gives requests in flight `graceMs`, then destroys the rest. */
  stop: (graceMs: number) => Promise<void>
}>

/** Receives and sends bodies within the limits of a server. */
export type Bodies = Readonly<{ receive: ReceiveBody; longResponses: LongResponses }>

/** The maximum time for emptying the accept queue, because clients may refill it. */
const maxDrainMs = 1000

/**
 * The interval at which a stopping server closes connections without a request. Within it, a request that is on its way
 * arrives.
 */
const lastRequestMs = 500

/** The interval at which the server looks for unread responses. */
const unreadCheckMs = 1000

/**
 * Opens a server of Node that enforces limits. `listenerOf` creates the listener of requests once the server listens,
 * because only then it is known whether the server is local.
 */
export const listen = async (
  { host, port }: Address,
  overrides: Partial<ServerLimits>,
  rejecter: Rejecter,
  listenerOf: (isLocal: boolean, bodies: Bodies) => RequestListener,
): Promise<Server> => {
  const limits = { ...defaultLimits, ...overrides }
  const { requestMs } = limits
  const server = createServer({
    requestTimeout: requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1000, requestMs),
    // the app answers a missing Host with a problem
    requireHostHeader: false,
    // a repeated Host, Content-Type or Authorization becomes invalid: Node would use the first, and a proxy the last
    joinDuplicateHeaders: true,
    // `connections` exists before the first request
    IncomingMessage: createChunkLimitedMessage(({ socket }) => connections.reject(socket, 'too many chunks')),
  })
  server.setTimeout(limits.stallMs, socket => connections.timeOut(socket))
  // Node drops the fields past its limit without an error, so the app must see one field too many
  server.maxHeadersCount = maxHeaderFields + 1
  await new Promise<void>((resolve, reject) => {
    // the listener stays, because a later error without one would end the process
    server.on('error', reject).listen({ port, host }, resolve)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port')
  const isLocal = isLoopback(bound.address)
  const exclusiveTurn = createExclusiveTurn()
  const bodyBudget = new Budget<ServerResponse>(limits.bodyBytes)
  const longResponses = new LongResponses(limits.unsentBytes, exclusiveTurn)
  // no `await` from here to the listeners: Node accepts connections from the next turn of the event loop on
  const listener = listenerOf(isLocal, { receive: createBodyReceiver(bodyBudget, exclusiveTurn), longResponses })
  const respond = (res: ServerResponse): unknown => listener(res.req, res)
  const connections = new Connections(limits, respond, rejecter)
  let accepted = 0
  server.on('connection', socket => {
    accepted++
    // Node removes its own listener at CONNECT, and an error without a listener ends the process
    socket.on('error', () => {})
    connections.add(socket)
  })
  const unreadCheck = setInterval(() => connections.pauseUnread(), unreadCheckMs).unref()
  server.on('request', (_req, res) => connections.receive(res))
  server.on('checkExpectation', (_req, res) => connections.receive(res))
  // Node 26 passes another stream than the socket of the connection
  server.on('connect', ({ socket }) => rejectConnect(connections, socket, limits.stallMs))
  server.on('clientError', (error, socket) => {
    const rejection = rejectionOf(error)
    if (rejection === undefined) socket.destroy()
    else connections.reject(socket, rejection)
  })
  return {
    url: urlOf(bound),
    isLocal,
    connections: () => connections.size,
    evictedConnections: () => connections.evictedCount + longResponses.evictedCount,
    bodyBytes: () => bodyBudget.reserved,
    announceStop: () => connections.announceStop(),
    stop: async graceMs => {
      connections.announceStop()
      const queueEmptied = emptyAcceptQueue(() => accepted, graceMs)
      // a client that gets `Connection: close` would reconnect and refill the queue
      connections.holdRequestsUntil(queueEmptied)
      await queueEmptied
      // `close` calls this method, and would cut off clients that still read a response
      server.closeIdleConnections = () => {}
      const deadline = setTimeout(() => connections.closeAll(), graceMs)
      // a busy event loop runs timers before it reads what has arrived
      const sweep = setInterval(() => setImmediate(() => connections.closeWithoutRequest()), lastRequestMs)
      await new Promise(resolve => server.close(resolve))
      // Node calls back before the responses of destroyed connections end
      while (connections.size > 0) await nextTurn()
      clearTimeout(deadline)
      clearInterval(sweep)
      clearInterval(unreadCheck)
    },
  }
}

/**
 * Rejects CONNECT after the earlier responses of the connection. Replaces the listener of `drain` and the timeout that
 * Node has removed, because those responses need them.
 */
const rejectConnect = (connections: Connections, socket: Socket, stallMs: number): void => {
  const stalled = setTimeout(() => {
    if (socket.writableLength > 0) closeSocket(socket)
    else stalled.refresh()
  }, stallMs)
  socket
    .once('close', () => clearTimeout(stalled))
    .on('drain', () => {
      stalled.refresh()
      connections.continueResponse(socket)
    })
  // Node reads no more from the socket, so it would not notice that the client has left
  socket.resume().once('finish', () => socket.destroy())
  connections.reject(socket, 'CONNECT')
}

/** Waits until the kernel's queue of connections is empty: Node accepts one in each turn of the event loop. */
const emptyAcceptQueue = async (accepted: () => number, graceMs: number): Promise<void> => {
  const end = performance.now() + Math.min(maxDrainMs, graceMs)
  let before: number
  do {
    before = accepted()
    // the first `nextTurn` may still belong to the turn in progress
    for (let turns = 0; turns < 2; turns++) await nextTurn()
  } while (accepted() > before && performance.now() < end)
}

const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(address)

const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

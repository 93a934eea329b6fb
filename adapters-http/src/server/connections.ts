// Node emits all requests of a packet at once and buffers their responses, so a few kilobytes of requests could ask for
// gigabytes of responses. `Connections` therefore passes requests on to the app one at a time. `receive` queues a
// request behind the earlier ones of its connection; `#begin` passes it on when the response before it has closed, and
// begins at most one request of a connection in a turn of the event loop. Four limits bound the memory: on open
// connections (at the limit, a connection that waits for its client is evicted), on leaving connections, on the weight
// of the queued requests of a connection, and on the requests that one turn reads. After a malformed, late or rejected
// request, the earlier responses finish, the client gets a last response, and the connection closes: see `reject`, and
// `receive` for the queue.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Budget } from './budget.js'
import type { ServerLimits } from './limits.js'
import { closeSocket, type Rejecter, type Rejection } from './rejecter.js'

/**
 * The limit on the weight of the queued requests of a connection. At twice the limit, the connection closes at once.
 */
const maxWeight = 200

/** Estimates the memory that a queued request takes, in units of 256 bytes, but at most the limit. */
const weightOf = ({ req: { url = '', headers, rawHeaders } }: ServerResponse): number => {
  // a chunked body may have any length
  const bodyBytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity
  const bytes = rawHeaders.reduce((sum, { length }) => sum + length, url.length + bodyBytes)
  return Math.min(maxWeight, 16 + rawHeaders.length / 2 + Math.floor(bytes / 256))
}

/** The limit on the requests that a turn of the event loop reads. Node frees them only in a later turn. */
const maxRequestsPerTurn = 10_000

/**
 * The limit on leaving connections: evicted ones, and new ones that were rejected because too many are open. They stay
 * open for a moment, so that their clients can read the last response. An evicted one that is not idle closes at once.
 */
const maxLeaving = 256

type Connection = {
  readonly socket: Socket
  /** The response in progress, and behind it those of queued requests. */
  readonly responses: ServerResponse[]
  /** The turn of the event loop in which its newest request began. */
  lastTurn: number
  /** The request that the app has begun last. It stays after its response while its body is arriving. */
  lastBegun?: IncomingMessage | undefined
  /** Ends the connection after `responses`, with or without a last response. Once set, no request is accepted. */
  finish?: (socket: Socket) => void
  /** The weight of the queued and the dropped requests. */
  weight: number
  /** Whether the client leaves a response unread. Reading has then stopped until the client takes it. */
  isUnread: boolean
}

/** Tells whether another request of the connection will get a response. */
const acceptsRequests = ({ socket, finish }: Connection): boolean => socket.writable && finish === undefined

/** Tells whether the last response is sent. The connection is still open, so the client has not closed its side. */
const lingers = ({ socket }: Connection): boolean => socket.writableFinished

/** Tells whether the connection has had a response, and no complete head since. */
const isIdle = ({ socket, responses }: Connection): boolean => responses.length === 0 && socket.bytesWritten > 0

/** Tells whether the connection has no complete request, or an unread response. */
const waitsForClient = ({ socket, responses: [current] }: Connection): boolean =>
  current === undefined || !current.req.complete || socket.writableLength > 0

const close = ({ socket }: Connection): void => closeSocket(socket)

/** Frees also what the kernel holds of a response that its client does not read. */
const reset = ({ socket }: Connection): void => void socket.resetAndDestroy()

/** Ends an idle connection: its client may still be reading what the kernel holds. Closes any other one at once. */
const endOrClose = (connection: Connection): void => {
  if (isIdle(connection)) connection.socket.end()
  else close(connection)
}

/**
 * Stops reading from a client that leaves a response unread, until it has taken the response. Node's timeout would
 * otherwise begin anew with each byte that the client sends.
 */
const pauseWhileUnread = (connection: Connection): void => {
  const { socket, isUnread: wasUnread } = connection
  const isUnread = socket.writableLength > 0
  if (isUnread === wasUnread) return
  connection.isUnread = isUnread
  if (isUnread) socket.pause()
  else socket.resume()
}

/** The open connections. Each serves one request at a time, in order. */
export class Connections {
  readonly #limits: ServerLimits
  readonly #serve: (res: ServerResponse) => unknown
  readonly #rejecter: Rejecter
  readonly #open = new Map<Duplex, Connection>()
  readonly #budget: Budget<Connection>
  readonly #leaving = new Budget<Connection>(maxLeaving, { candidates: [() => true], evict: reset })
  #isStopping = false
  /** While it is set, no request begins. */
  #holding: Promise<void> | undefined
  #turn = 0
  #receivedInTurn = 0

  constructor(limits: ServerLimits, serve: (res: ServerResponse) => unknown, rejecter: Rejecter) {
    this.#limits = limits
    this.#serve = serve
    this.#rejecter = rejecter
    this.#budget = new Budget(limits.connections, {
      candidates: [lingers, isIdle, waitsForClient],
      evict: connection => {
        endOrClose(connection)
        this.#leaving.reserve(connection)
      },
    })
  }

  get size(): number {
    return this.#open.size
  }

  get evictedCount(): number {
    return this.#budget.evictedCount
  }

  add(socket: Socket): void {
    const connection: Connection = { socket, responses: [], lastTurn: -1, weight: 0, isUnread: false }
    this.#open.set(socket, connection)
    // Node calls this method after the last response. The kernel would answer bytes that still arrive with a reset, and
    // the client could lose the response (RFC 9112, 9.6). They are discarded instead, until the client closes its side.
    socket.destroySoon = () => socket.end().resume()
    // a client may never close its side
    socket.once('finish', () => {
      const lingering = setTimeout(() => reset(connection), this.#limits.requestMs)
      socket.once('close', () => clearTimeout(lingering))
    })
    socket.on('drain', () => {
      this.#budget.markActive(connection)
      pauseWhileUnread(connection)
    })
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#budget.release(connection)
      this.#leaving.release(connection)
    })
    if (this.#budget.reserve(connection)) return
    this.#leaving.reserve(connection)
    this.reject(socket, 'too many connections')
  }

  /** Begins the request, or queues it behind earlier ones of its connection. */
  receive(res: ServerResponse): void {
    this.#countInTurn()
    const connection = this.#open.get(res.req.socket)
    if (connection === undefined || connection.socket.destroyed) return
    const { responses } = connection
    if (responses.length > 0 || !acceptsRequests(connection)) connection.weight += weightOf(res)
    if (connection.weight >= maxWeight)
      connection.finish ??= this.#rejecter.lastResponse('too many queued requests', res.req)
    if (connection.weight >= 2 * maxWeight) close(connection)
    if (!acceptsRequests(connection)) freeHead(res.req)
    else if (responses.push(res) === 1) this.#beginInTurn(connection, res)
  }

  /**
   * Begins the request, but at most one of its connection per turn: Node, which runs microtasks after each body, would
   * serve a whole packet in one turn.
   */
  #beginInTurn(connection: Connection, res: ServerResponse): void {
    const begin = () => this.#begin(connection, res)
    if (this.#holding !== undefined) void this.#holding.then(begin)
    else if (connection.lastTurn === this.#turn) setImmediate(begin)
    else begin()
  }

  #begin(connection: Connection, res: ServerResponse): void {
    // the client may have left, or an earlier response was the last one
    if (!connection.socket.writable) {
      connection.responses.length = 0
      return
    }
    connection.lastTurn = this.#turn
    connection.lastBegun = res.req
    this.#budget.markActive(connection)
    // an almost full service could close an idle connection just as its client sends the next request
    const shouldFreeConnections = this.#isStopping || this.#budget.reserved >= this.#limits.connections * 0.75
    // Node serves an upgrade request like others, but loses the bytes after it in the same packet
    const isUpgrade = res.req.headers.upgrade !== undefined
    if (isUpgrade || (shouldFreeConnections && connection.responses.length === 1)) res.setHeader('Connection', 'close')
    this.#serve(res)
    // after the listeners of the app, which count the bytes of this response before the next one is sent
    res.once('close', () => this.#beginNext(connection))
  }

  #beginNext(connection: Connection): void {
    const { responses } = connection
    responses.shift()
    this.#budget.markActive(connection)
    const [next] = responses
    if (next !== undefined) {
      connection.weight -= weightOf(next)
      this.#beginInTurn(connection, next)
    } else if (connection.finish !== undefined) connection.finish(connection.socket)
    else if (connection.lastBegun?.complete === false) freeHead(connection.lastBegun)
    else connection.lastBegun = undefined
  }

  /**
   * Rejects the connection, or its latest bytes. These belong to:
   * - the body of the begun request: responds in place of a handler that waits for the body. A response that has begun,
   *   or does not need the body, stays the only one: the client would take a second one as that of its next request.
   * - the body of a queued request, or a new request: sends a last response after the earlier ones
   */
  reject(socket: Duplex, rejection: Rejection): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.finish !== undefined) return
    const { responses, lastBegun } = connection
    const newest = responses.at(-1)
    const req = newest?.req ?? lastBegun
    const isInBody = req?.complete === false
    if (isInBody && req === lastBegun) {
      connection.finish = socket => socket.end()
      if (newest?.headersSent === false) {
        newest.setHeader('Connection', 'close')
        // only a handler that waits for the body listens to it
        if (newest.req.listenerCount('data') > 0) this.#rejecter.respondInstead(rejection, newest)
      }
    } else {
      if (isInBody) responses.pop()
      connection.finish = this.#rejecter.lastResponse(rejection, newest?.req)
    }
    if (responses.length === 0) connection.finish(connection.socket)
  }

  /** Counts the requests of a turn. At the limit, no socket is read before the next turn. */
  #countInTurn(): void {
    if (++this.#receivedInTurn === 1)
      setImmediate(() => {
        this.#receivedInTurn = 0
        this.#turn++
      })
    if (this.#receivedInTurn !== maxRequestsPerTurn) return
    // a paused socket stays paused: Node pauses one whose body the handler does not read
    const reading = [...this.#open.values()].filter(({ socket }) => !socket.isPaused())
    for (const { socket } of reading) socket.pause()
    setImmediate(() => {
      for (const { socket } of reading) socket.resume()
    })
  }

  /** Ends a connection that has been idle for too long, and closes one without progress. */
  timeOut(socket: Duplex): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) endOrClose(connection)
  }

  /** Stops reading from clients that leave a response unread. Called regularly, as a full buffer has no event. */
  pauseUnread(): void {
    for (const connection of this.#open.values()) pauseWhileUnread(connection)
  }

  /** Continues the response in progress. */
  continueResponse(socket: Duplex): void {
    this.#open.get(socket)?.responses[0]?.emit('drain')
  }

  /** Begins no request until the promise resolves. */
  holdRequestsUntil(released: Promise<void>): void {
    this.#holding = released.then(() => {
      this.#holding = undefined
    })
  }

  announceStop(): void {
    this.#isStopping = true
    for (const { responses } of this.#open.values()) {
      const [current, ...queued] = responses
      if (current?.headersSent === false && queued.length === 0) current.setHeader('Connection', 'close')
    }
  }

  closeWithoutRequest(): void {
    for (const connection of this.#open.values()) if (connection.responses.length === 0) close(connection)
  }

  closeAll(): void {
    for (const connection of this.#open.values()) close(connection)
  }
}

/** Frees the head of a request, because Node holds the request until the connection closes. */
const freeHead = (req: IncomingMessage): void => {
  req.rawHeaders = []
  // the limit on the chunks of the body needs this header
  req.headers = { 'transfer-encoding': req.headers['transfer-encoding'] }
  req.resume()
}

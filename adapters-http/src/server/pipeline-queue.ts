import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, problemBody } from '../response/problems.js'
import { problemJson } from '../response/response.js'

/** Queued requests of a connection. */
const maxQueued = 32

/** Header fields of all requests of a connection, in progress or queued. */
const maxOpenFields = 600

/** Queued requests of all connections together. */
const maxQueuedInTotal = 1024

type Actions = Readonly<{
  /** Begins a request. `isLast` is true if its connection has no other request in the queue. */
  begin: (res: ServerResponse, isLast: boolean) => unknown
  endWith: (socket: Socket, problem: Problem) => void
  disconnect: (socket: Socket) => void
}>

/** The response in progress and the queued ones of a connection, and a callback that runs after the last response. */
type Queue = { readonly responses: ServerResponse[]; onEmpty: () => void }

/** Methods whose handlers read the body first. Others may have used the storage already, so their response is sent. */
const methodsWithBody: readonly unknown[] = ['POST', 'PUT', 'PATCH']

/**
 * A queue that serves the requests of each connection one at a time. Node emits all requests of a packet at once and
 * buffers their responses: a few kilobytes of requests could ask for gigabytes of responses.
 */
export class PipelineQueue {
  readonly #actions: Actions
  readonly #queues = new Map<Socket, Queue>()
  #queued = 0

  constructor(actions: Actions) {
    this.#actions = actions
  }

  /** Returns how many requests wait for the responses ahead of theirs, over all connections. */
  get queued(): number {
    return this.#queued
  }

  readonly listener: RequestListener = ({ socket }, res) => {
    const queue = this.#queues.get(socket)
    if (queue === undefined) {
      this.#queues.set(socket, { responses: [res], onEmpty: () => {} })
      this.#begin(res, true)
      return
    }
    queue.responses.push(res)
    this.#queued++
    const fields = queue.responses.reduce((sum, { req }) => sum + req.rawHeaders.length / 2, 0)
    if (queue.responses.length > 1 + maxQueued || fields > maxOpenFields) this.#drop([socket, queue])
    else if (this.#queued > maxQueuedInTotal)
      this.#drop([...this.#queues].reduce((a, b) => (b[1].responses.length > a[1].responses.length ? b : a)))
  }

  #drop([socket, { responses }]: readonly [Socket, Queue]): void {
    const queued = responses.splice(1)
    this.#queued -= queued.length
    for (const { req } of queued) freeHead(req)
    this.#actions.disconnect(socket)
  }

  #begin(res: ServerResponse, isLast: boolean): void {
    res.once('close', () => this.#next(res.req.socket))
    // `end` may have responded before the request was begun
    if (!res.headersSent) this.#actions.begin(res, isLast)
  }

  #next(socket: Socket): void {
    const queue = this.#queues.get(socket)
    queue?.responses.shift()
    // other connections come first: without waiting for I/O, all queued requests would run in one turn
    if (queue?.responses[0] !== undefined) setImmediate(() => this.#beginNext(socket))
    else this.#beginNext(socket)
  }

  #beginNext(socket: Socket): void {
    const queue = this.#queues.get(socket)
    const next = queue?.responses[0]
    if (next !== undefined && socket.writable) {
      this.#queued--
      this.#begin(next, queue?.responses.length === 1)
    } else {
      this.#queued -= queue?.responses.length ?? 0
      this.#queues.delete(socket)
      queue?.onEmpty()
    }
  }

  isServing(socket: Socket): boolean {
    return this.#queues.has(socket)
  }

  /** Adds `Connection: close` to the response in progress, unless its head was sent or other requests are queued. */
  announceClose(socket: Socket): void {
    const [current, ...queued] = this.#queues.get(socket)?.responses ?? []
    if (current?.headersSent === false && queued.length === 0) current.setHeader('Connection', 'close')
  }

  /** Ends a connection after its responses, with a problem unless a handler responds to the malformed request. */
  end(socket: Socket, problem: Problem): void {
    const queue = this.#queues.get(socket)
    const newest = queue?.responses.at(-1)
    if (queue === undefined || newest === undefined) this.#actions.endWith(socket, problem)
    else if (newest.req.complete) queue.onEmpty = () => this.#actions.endWith(socket, problem)
    else if (queue.responses.length > 1) {
      // the newest request is incomplete and still queued
      queue.responses.pop()
      this.#queued--
      queue.onEmpty = () => this.#actions.endWith(socket, problem)
    } else {
      queue.onEmpty = () => socket.destroySoon()
      if (newest.headersSent) return
      newest.setHeader('Connection', 'close')
      if (methodsWithBody.includes(newest.req.method)) respondWith(newest, problem)
    }
  }
}

/** Frees the head of a rejected request. Node keeps the request until its connection has closed. */
export const freeHead = (req: IncomingMessage): void => {
  req.url = ''
  req.headers = {}
  req.rawHeaders = []
}

/** Responds with a problem while the listener waits for the rest of a broken body. */
const respondWith = (res: ServerResponse, problem: Problem): void => {
  const body = problemBody(problem)
  res.problem = problem.type
  res.statusCode = problem.status
  // the listener may have set other headers
  res.setHeader('Content-Type', problemJson).setHeader('Content-Length', Buffer.byteLength(body)).end(body)
}

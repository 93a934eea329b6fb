import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { problemJson } from '../answer/answer.js'
import { type Problem, problemBody } from '../answer/problems.js'

/** Requests that a client may send ahead of their responses. */
const maxQueued = 32

/** Header fields of the requests that a client has open. */
const maxOpenFields = 600

/** Queued requests of all connections. Each can take some 40 KB of heap. */
const maxQueuedInAll = 1024

export type Actions = Readonly<{
  /** Begins a request. `isLast` when the connection has no other in its queue. */
  begin: (res: ServerResponse, isLast: boolean) => unknown
  endWith: (socket: Socket, problem: Problem) => void
  disconnect: (socket: Socket) => void
}>

/** The response in progress, the queued ones, and what happens to the connection after the last of them. */
type Queue = { readonly open: ServerResponse[]; afterwards: () => void }

/** Methods that take effect only once the body has arrived. */
const methodsWithBody: readonly unknown[] = ['POST', 'PUT', 'PATCH']

/**
 * Serves the requests of a connection one at a time. Node emits every request of a packet at once and keeps the responses in
 * memory until their turn: a few kilobytes of requests could ask for gigabytes.
 */
export class PipelineQueue {
  readonly #actions: Actions
  readonly #queues = new Map<Socket, Queue>()
  #queued = 0

  constructor(actions: Actions) {
    this.#actions = actions
  }

  /** Requests of all connections that wait for the responses ahead of theirs. */
  get queued(): number {
    return this.#queued
  }

  readonly listener: RequestListener = ({ socket }, res) => {
    const queue = this.#queues.get(socket)
    if (queue === undefined) {
      this.#queues.set(socket, { open: [res], afterwards: () => {} })
      this.#begin(res, true)
      return
    }
    queue.open.push(res)
    this.#queued++
    const fields = queue.open.reduce((sum, { req }) => sum + req.rawHeaders.length / 2, 0)
    if (queue.open.length > 1 + maxQueued || fields > maxOpenFields) this.#drop([socket, queue])
    else if (this.#queued > maxQueuedInAll)
      this.#drop([...this.#queues].reduce((a, b) => (b[1].open.length > a[1].open.length ? b : a)))
  }

  #drop([socket, { open }]: readonly [Socket, Queue]): void {
    const queued = open.splice(1)
    this.#queued -= queued.length
    for (const { req } of queued) forget(req)
    this.#actions.disconnect(socket)
  }

  #begin(res: ServerResponse, isLast: boolean): void {
    res.once('close', () => this.#next(res.req.socket))
    this.#actions.begin(res, isLast)
  }

  #next(socket: Socket): void {
    const queue = this.#queues.get(socket)
    queue?.open.shift()
    const next = queue?.open[0]
    if (next !== undefined && socket.writable) {
      this.#queued--
      this.#begin(next, queue?.open.length === 1)
    } else {
      this.#queued -= queue?.open.length ?? 0
      this.#queues.delete(socket)
      queue?.afterwards()
    }
  }

  isServing(socket: Socket): boolean {
    return this.#queues.has(socket)
  }

  /** Tells the client in the response in progress that no other follows, unless its head was sent or others are queued. */
  announceClose(socket: Socket): void {
    const [current, ...queued] = this.#queues.get(socket)?.open ?? []
    if (current?.headersSent === false && queued.length === 0) current.setHeader('Connection', 'close')
  }

  /** Ends a connection of which no more can be parsed, after the responses to the requests before. */
  end(socket: Socket, problem: Problem): void {
    const queue = this.#queues.get(socket)
    const newest = queue?.open.at(-1)
    if (queue === undefined || newest === undefined) this.#actions.endWith(socket, problem)
    else if (newest.req.complete) queue.afterwards = () => this.#actions.endWith(socket, problem)
    else if (queue.open.length > 1) {
      // its body is at fault, and it has not begun
      queue.open.pop()
      this.#queued--
      queue.afterwards = () => this.#actions.endWith(socket, problem)
    } else {
      queue.afterwards = () => socket.destroySoon()
      if (newest.headersSent) return
      newest.setHeader('Connection', 'close')
      if (methodsWithBody.includes(newest.req.method)) answerWith(newest, problem)
    }
  }
}

/** Frees the head of a request that is not served: Node keeps the request until its connection has closed. */
export const forget = (req: IncomingMessage): void => {
  req.url = ''
  req.headers = {}
  req.rawHeaders = []
}

/** Answers for a listener that waits for a body in vain. */
const answerWith = (res: ServerResponse, problem: Problem): void => {
  const body = problemBody(problem)
  res.problem = problem.type
  res.statusCode = problem.status
  // the listener may have set other headers
  res.setHeader('Content-Type', problemJson).setHeader('Content-Length', Buffer.byteLength(body)).end(body)
}

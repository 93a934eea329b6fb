import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '../answer/problems.js'
import { breakBody } from '../request/guard-body.js'

/** A client that sends more requests ahead of their answers is disconnected. */
const maxWaiting = 32

/** `isLast` when no other request of the connection waits. */
type Serve = (res: ServerResponse, isLast: boolean) => unknown

/** The response that is being made, those that wait for it, and what happens to the connection after the last of them. */
type Line = { readonly open: ServerResponse[]; afterwards: () => void }

/**
 * Serves the requests of a connection one at a time. Node hands out every request of a packet at once and keeps the answers in
 * memory until their turn: a few kilobytes of requests could ask for gigabytes.
 */
export class OneAtATime {
  readonly #serve: Serve
  readonly #endWith: (socket: Socket, problem: Problem) => void
  readonly #lines = new WeakMap<Socket, Line>()
  /** How much a connection had received when its last answer had been sent. */
  readonly #receivedBefore = new WeakMap<Socket, number>()

  constructor(serve: Serve, endWith: (socket: Socket, problem: Problem) => void) {
    this.#serve = serve
    this.#endWith = endWith
  }

  readonly listener: RequestListener = ({ socket }, res) => {
    const line = this.#lines.get(socket)
    if (line === undefined) {
      this.#lines.set(socket, { open: [res], afterwards: () => {} })
      this.#begin(res, true)
    } else if (line.open.length > maxWaiting) socket.destroy()
    else line.open.push(res)
  }

  #begin(res: ServerResponse, isLast: boolean): void {
    res.once('close', () => this.#next(res.req.socket))
    this.#serve(res, isLast)
  }

  #next(socket: Socket): void {
    const line = this.#lines.get(socket)
    line?.open.shift()
    const next = line?.open[0]
    if (next !== undefined && socket.writable) this.#begin(next, line?.open.length === 1)
    else {
      this.#lines.delete(socket)
      this.#receivedBefore.set(socket, socket.bytesRead)
      line?.afterwards()
    }
  }

  isServing(socket: Socket): boolean {
    return this.#lines.has(socket)
  }

  /** Whether all that was received has been answered, and every answer sent. Never true of a new connection. */
  isIdle(socket: Socket): boolean {
    return !this.#lines.has(socket) && this.#receivedBefore.get(socket) === socket.bytesRead
  }

  /** Tells a client in its answer that none will follow, unless the answer has begun or others wait. */
  announceClose(socket: Socket): void {
    const [current, ...waiting] = this.#lines.get(socket)?.open ?? []
    if (current?.headersSent === false && waiting.length === 0) current.setHeader('Connection', 'close')
  }

  /** Ends a connection of which no more can be parsed, after the answers to what came before. */
  end(socket: Socket, problem: Problem): void {
    const line = this.#lines.get(socket)
    const newest = line?.open.at(-1)
    if (line === undefined || newest === undefined) this.#endWith(socket, problem)
    else if (newest.req.complete) line.afterwards = () => this.#endWith(socket, problem)
    else if (line.open.length > 1) {
      // its body is at fault, and it has not begun
      line.open.pop()
      line.afterwards = () => this.#endWith(socket, problem)
    } else {
      line.afterwards = () => socket.destroySoon()
      if (newest.headersSent) return
      newest.setHeader('Connection', 'close')
      breakBody(newest.req, problem)
    }
  }
}

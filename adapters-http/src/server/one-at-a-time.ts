import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '../answer/problems.js'
import { breakBody } from '../request/guard-body.js'

/** A client that sends more requests ahead of their answers is disconnected. */
const maxWaiting = 32

/**
 * Serves the requests of a connection one at a time. Node hands out every request of a packet at once and keeps the answers in
 * memory until their turn: a few kilobytes of requests could ask for gigabytes.
 */
export class OneAtATime {
  readonly #serve: (res: ServerResponse) => unknown
  readonly #endWith: (socket: Socket, problem: Problem) => void
  /** The response that is being made, and those that wait for it. */
  readonly #open = new WeakMap<Socket, ServerResponse[]>()

  constructor(serve: (res: ServerResponse) => unknown, endWith: (socket: Socket, problem: Problem) => void) {
    this.#serve = serve
    this.#endWith = endWith
  }

  readonly listener: RequestListener = ({ socket }, res) => {
    const open = this.#open.get(socket)
    if (open === undefined) {
      this.#open.set(socket, [res])
      this.#begin(res)
    } else if (open.length > maxWaiting) socket.destroy()
    else open.push(res)
  }

  #begin(res: ServerResponse): void {
    res.once('close', () => this.#next(res.req.socket))
    this.#serve(res)
  }

  #next(socket: Socket): void {
    const [, ...waiting] = this.#open.get(socket) ?? []
    const [next] = waiting
    if (next === undefined || !socket.writable) this.#open.delete(socket)
    else {
      this.#open.set(socket, waiting)
      this.#begin(next)
    }
  }

  /** Ends a connection of which no more can be parsed, after the answers to what came before. */
  end(socket: Socket, problem: Problem): void {
    const open = this.#open.get(socket) ?? []
    const newest = open.at(-1)
    if (newest === undefined) this.#endWith(socket, problem)
    else if (newest.req.complete) newest.once('close', () => this.#endWith(socket, problem))
    else if (open.length > 1) {
      // its body is at fault, and it has not begun
      open.pop()
      open.at(-1)?.once('close', () => this.#endWith(socket, problem))
    } else {
      newest.once('close', () => socket.destroySoon())
      if (newest.headersSent) return
      newest.setHeader('Connection', 'close')
      breakBody(newest.req, problem)
    }
  }
}

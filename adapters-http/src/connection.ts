import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Turn = Readonly<{ handle: RequestListener; req: IncomingMessage; res: ServerResponse }>

/**
 * Handles the requests of one connection one at a time. Node hands out every request of a packet at once, and keeps the
 * answers in memory until their turn: a few kilobytes of pipelined requests could ask for gigabytes. So a request waits
 * until the answer before it has gone to the kernel, and nothing more is read from the socket while one waits.
 */
export class Connection {
  readonly #socket: Socket
  #current: ServerResponse | undefined
  #waiting: Turn[] = []

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** The answer to the newest request; undefined until the first one. */
  get newest(): ServerResponse | undefined {
    return this.#waiting.at(-1)?.res ?? this.#current
  }

  /** The answer that is being made, or the last one. */
  get current(): ServerResponse | undefined {
    return this.#current
  }

  handle(handle: RequestListener, req: IncomingMessage, res: ServerResponse): void {
    if (this.#current === undefined || this.#current.closed) this.#begin({ handle, req, res })
    else this.#wait({ handle, req, res })
  }

  /** Takes the newest request out of the queue, if it still waits. */
  withdrawNewest(): void {
    this.#waiting.pop()
  }

  #begin({ handle, req, res }: Turn): void {
    // an answer before it has closed the connection
    if (!this.#socket.writable) return
    this.#current = res
    handle(req, res)
  }

  #wait(turn: Turn): void {
    if (this.#waiting.push(turn) > 1) return
    this.#current?.once('close', this.#next)
    this.#socket.on('resume', this.#pause).pause()
  }

  /** Node itself resumes the socket after each request that it has parsed. */
  readonly #pause = (): void => void this.#socket.pause()

  readonly #next = (): void => {
    if (!this.#socket.writable) this.#waiting = []
    const turn = this.#waiting.shift()
    if (this.#waiting.length > 0) turn?.res.once('close', this.#next)
    else this.#socket.off('resume', this.#pause).resume()
    if (turn !== undefined) this.#begin(turn)
  }
}

import type { Socket } from 'node:net'

/**
 * Sockets whose packets take many milliseconds to parse. They are read one packet at a time, one socket in a turn of the event
 * loop: if all were read in the same turn, everybody else would wait for a second.
 */
class SlowSockets {
  readonly #waiting = new Set<Socket>()

  /** Pauses the socket until its turn. */
  wait(socket: Socket): void {
    if (socket.destroyed) return
    if (this.#waiting.size === 0) setImmediate(this.#next)
    this.#waiting.add(socket.pause())
  }

  readonly #next = (): void => {
    const [socket] = this.#waiting
    if (socket === undefined) return
    this.#waiting.delete(socket)
    socket.resume()
    if (this.#waiting.size > 0) setImmediate(this.#next)
  }
}

/** One for all servers of the process, which share its event loop. */
export const slowSockets = new SlowSockets()

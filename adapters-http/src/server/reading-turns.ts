import type { Socket } from 'node:net'

/** For one read of 64 KB: 3 MB a second, of all sockets together. */
const turnMs = 20

/**
 * Sockets from which much will be read for nothing, a packet each in turn. Each read takes a new buffer, which is garbage at
 * once: hundreds of sockets that read at the same time would fill the memory before it is collected.
 */
class ReadingTurns {
  readonly #waiting = new Set<Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Pauses the socket until its turn. */
  wait(socket: Socket): void {
    this.#waiting.add(socket.pause())
    this.#timer ??= setInterval(() => this.#next(), turnMs).unref()
  }

  isWaiting(socket: Socket): boolean {
    return this.#waiting.has(socket)
  }

  #next(): void {
    const [socket] = this.#waiting
    if (socket === undefined) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    this.#waiting.delete(socket)
    socket.resume()
  }
}

/** One for all servers of the process, which share its memory. */
export const readingTurns = new ReadingTurns()

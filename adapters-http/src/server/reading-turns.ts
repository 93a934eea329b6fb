import type { Socket } from 'node:net'

const turnMs = 20
/** Together 6 MB a second, as one read takes 64 KB. */
const readsInATurn = 2

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
    let left = readsInATurn
    for (const socket of this.#waiting) {
      if (left-- === 0) return
      this.#waiting.delete(socket)
      socket.resume()
    }
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** One for all servers of the process, which share its memory. */
export const readingTurns = new ReadingTurns()

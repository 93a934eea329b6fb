import type { Socket } from 'node:net'

/** For one read of 64 KB: 1.3 MB a second, of all sockets together. */
const turnMs = 50

/** With more that wait, several have their turn at once, so that none waits for longer than 5 s. */
const maxForOne = 100

/** With more that wait, none is read to its end in good time. */
const crowd = 16

/**
 * Sockets from which much will be read for nothing, a packet each in turn. Each read takes a new buffer, which is garbage at
 * once: hundreds of sockets that read at the same time would fill the memory before it is collected.
 */
class ReadingTurns {
  readonly #waiting = new Set<Socket>()
  /** Sockets that leave when they close. */
  readonly #known = new WeakSet<Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Pauses the socket until its turn. */
  wait(socket: Socket): void {
    if (socket.destroyed) return
    if (!this.#known.has(socket)) socket.once('close', () => this.#waiting.delete(socket))
    this.#known.add(socket)
    this.#waiting.add(socket.pause())
    this.#timer ??= setInterval(() => this.#next(), turnMs).unref()
  }

  isWaiting(socket: Socket): boolean {
    return this.#waiting.has(socket)
  }

  get isCrowded(): boolean {
    return this.#waiting.size > crowd
  }

  #next(): void {
    let left = Math.ceil(this.#waiting.size / maxForOne)
    if (left === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    for (const socket of this.#waiting) {
      if (left-- === 0) return
      this.#waiting.delete(socket)
      socket.resume()
    }
  }
}

/** One for all servers of the process, which share its memory. */
export const readingTurns = new ReadingTurns()

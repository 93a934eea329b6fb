import type { IncomingMessage } from 'node:http'

/**
 * Bodies whose packets take many milliseconds to parse. They are read one packet at a time, one body in a turn of the event
 * loop: if all were read in the same turn, everybody else would wait for a second.
 */
class SlowBodies {
  readonly #waiting = new Set<IncomingMessage>()

  /** Reads no more of this body until its turn. */
  wait(req: IncomingMessage): void {
    if (req.socket.destroyed) return
    if (this.#waiting.size === 0) setImmediate(this.#next)
    req.socket.pause()
    this.#waiting.add(req)
  }

  readonly #next = (): void => {
    const [req] = this.#waiting
    if (req === undefined) return
    this.#waiting.delete(req)
    // of one that nobody reads there is enough; Node goes on with it when somebody does. After a whole one Node has gone on
    // already, and its socket may have been detached since by an upgrade: what is read from that would be lost
    if (!req.complete && req.readableLength < req.readableHighWaterMark) req.socket.resume()
    if (this.#waiting.size > 0) setImmediate(this.#next)
  }
}

/** One for all servers of the process, which share its event loop. */
export const slowBodies = new SlowBodies()

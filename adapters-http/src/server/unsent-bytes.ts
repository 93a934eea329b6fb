import type { ServerResponse } from 'node:http'

/** Smaller answers fit into the kernel's buffer. */
const largeBytes = 64 * 1024

/** How long a client may read nothing of its answer while the total is past the limit. */
const patienceMs = 2_000
const sweepMs = 500

type Held = { taken: number; since: number }

/** Counts the bytes of large answers that their clients have not read yet. */
export class UnsentBytes {
  readonly #limit: number
  readonly #held = new Map<ServerResponse, Held>()
  #total = 0
  #sweep: NodeJS.Timeout | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  get isPastLimit(): boolean {
    return this.#total > this.#limit
  }

  /** Counts a response that has been ended, until the kernel has taken all of it. */
  add(res: ServerResponse): void {
    const bytes = res.writableLength
    if (bytes < largeBytes) return
    this.#total += bytes
    this.#held.set(res, { taken: takenBy(res.socket), since: performance.now() })
    this.#sweep ??= setInterval(() => this.#cutStalled(), sweepMs).unref()
    res.once('close', () => this.#remove(res, bytes))
  }

  #remove(res: ServerResponse, bytes: number): void {
    this.#total -= bytes
    this.#held.delete(res)
    if (this.#held.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  /** Past the limit, clients that do not read are cut off. */
  #cutStalled(): void {
    const now = performance.now()
    for (const [{ socket }, held] of this.#held) {
      const taken = takenBy(socket)
      if (taken !== held.taken) Object.assign(held, { taken, since: now })
      else if (this.isPastLimit && now - held.since > patienceMs) socket?.destroy()
    }
  }
}

/** How many bytes the kernel has taken. Node counts what still waits as written. */
const takenBy = (socket: ServerResponse['socket']): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength

import type { ServerResponse } from 'node:http'

/** Smaller answers fit into the kernel's buffer. */
const largeBytes = 16 * 1024

/** How long a client may read nothing of its answer, past the limit and past a sixteenth of it. */
const patienceMs = { full: 2_000, filling: 12_000 }
const sweepMs = 500

type Held = {
  /** As far as they wait in the process. */
  bytes: number
  kept: number
  taken: number
  since: number
}

/** Counts the bytes of large answers that their clients have not read yet. */
export class UnsentBytes {
  readonly #limit: number
  readonly #held = new Map<ServerResponse, Held>()
  #total = 0
  #isFilling = false
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

  /** Counts what a response has written, until the kernel has taken all of it. */
  add(res: ServerResponse): void {
    const held = this.#held.get(res)
    if (held !== undefined) this.#count(held, res.writableLength)
    else if (res.writableLength >= largeBytes) this.#hold(res, res.writableLength, 0)
  }

  /** Counts memory that a response keeps until it has been sent. */
  keep(res: ServerResponse, kept: number): void {
    if (!res.closed) this.#hold(res, 0, kept)
  }

  #hold(res: ServerResponse, bytes: number, kept: number): void {
    const held = { bytes, kept, taken: takenBy(res.socket), since: performance.now() }
    this.#total += bytes + kept
    this.#held.set(res, held)
    this.#sweep ??= setInterval(() => this.#look(), sweepMs).unref()
    res.once('close', () => this.#remove(res, held))
  }

  #count(held: Held, bytes: number): void {
    this.#total += bytes - held.bytes
    held.bytes = bytes
  }

  #remove(res: ServerResponse, { bytes, kept }: Held): void {
    this.#total -= bytes + kept
    this.#held.delete(res)
    if (this.#held.size > 0) return
    this.#isFilling = false
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  /** When much is held, clients that do not read are cut off, until little is. */
  #look(): void {
    const now = performance.now()
    const patience = this.#patience()
    for (const [res, held] of this.#held) {
      const taken = takenBy(res.socket)
      this.#count(held, res.writableLength)
      const isSent = res.writableLength === 0
      if (isSent || taken !== held.taken) Object.assign(held, { taken, since: now })
      else if (now - held.since > patience) res.socket?.destroy()
    }
  }

  #patience(): number {
    if (this.#total > this.#limit / 16) this.#isFilling = true
    if (this.#total < this.#limit / 1024) this.#isFilling = false
    if (this.isPastLimit) return patienceMs.full
    return this.#isFilling ? patienceMs.filling : Number.POSITIVE_INFINITY
  }
}

/** How many bytes the kernel has taken. Node counts what still waits as written. */
const takenBy = (socket: ServerResponse['socket']): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength

/** The rule for making room: which holders to close, and how. */
type Rule<Holder> = Readonly<{
  /** Tests for holders that wait for their client. A holder that passes an earlier test is closed first. */
  waits: readonly ((holder: Holder) => boolean)[]
  close: (holder: Holder) => void
}>

/**
 * A limited number of places. When all are taken, a newcomer takes the place of the holder that has waited longest for
 * its client. A holder that waits for the service is never closed. Without a rule, none is.
 */
export class Places<Holder> {
  readonly #limit: number
  readonly #rule: Rule<Holder>
  /** The size of each holder, least recently active first. */
  readonly #sizes = new Map<Holder, number>()
  #taken = 0
  #closed = 0

  constructor(limit: number, rule: Rule<Holder> = { waits: [], close: () => {} }) {
    this.#limit = limit
    this.#rule = rule
  }

  get taken(): number {
    return this.#taken
  }

  /** Returns how many holders were closed to make room. */
  get closed(): number {
    return this.#closed
  }

  /**
   * Gives the holder more places. Closes holders that wait for their clients until the places suffice. Returns false if
   * they do not. A size above the limit fits while no place is taken.
   */
  take(holder: Holder, size = 1): boolean {
    while (this.#taken > 0 && this.#taken + size > this.#limit) {
      const longest = this.#longestWaiting()
      if (longest === undefined) return false
      this.free(longest)
      this.#closed++
      this.#rule.close(longest)
    }
    this.#sizes.set(holder, (this.#sizes.get(holder) ?? 0) + size)
    this.#taken += size
    return true
  }

  /** Records that the holder is active. A wait for its client counts from now. */
  touch(holder: Holder): void {
    const size = this.#sizes.get(holder)
    if (size === undefined) return
    this.#sizes.delete(holder)
    this.#sizes.set(holder, size)
  }

  free(holder: Holder): void {
    this.#taken -= this.#sizes.get(holder) ?? 0
    this.#sizes.delete(holder)
  }

  #longestWaiting(): Holder | undefined {
    for (const waits of this.#rule.waits) for (const holder of this.#sizes.keys()) if (waits(holder)) return holder
    return undefined
  }
}

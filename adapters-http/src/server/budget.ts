/** The rule for making room: which holders to close, and how. */
type Rule<Holder> = Readonly<{
  /** Tests for holders that wait for their client, most expendable first. */
  expendable: readonly ((holder: Holder) => boolean)[]
  close: (holder: Holder) => void
}>

/**
 * A limit on a shared resource. At the limit, a reservation closes other holders: in the order of the tests, and
 * within a test the least recently active first. Without a rule, it returns false.
 */
export class Budget<Holder> {
  readonly #limit: number
  readonly #rule: Rule<Holder>
  /** The size of each holder, least recently active first. */
  readonly #sizes = new Map<Holder, number>()
  #reserved = 0
  #closedCount = 0

  constructor(limit: number, rule: Rule<Holder> = { expendable: [], close: () => {} }) {
    this.#limit = limit
    this.#rule = rule
  }

  get reserved(): number {
    return this.#reserved
  }

  /** Returns how many holders were closed to make room. */
  get closedCount(): number {
    return this.#closedCount
  }

  /**
   * Raises the size of the holder to `size`. At the limit, closes waiting holders. Returns false if that does not free
   * enough. While nothing is reserved, a reservation succeeds even above the limit: otherwise a large item could never
   * be sent.
   */
  reserve(holder: Holder, size = 1): boolean {
    const held = this.#sizes.get(holder) ?? 0
    const more = Math.max(0, size - held)
    while (more > 0 && this.#reserved > 0 && this.#reserved + more > this.#limit) {
      const longest = this.#longestWaiting()
      if (longest === undefined) return false
      this.release(longest)
      this.#closedCount++
      this.#rule.close(longest)
    }
    this.#sizes.set(holder, held + more)
    this.#reserved += more
    return true
  }

  /** Records that the holder is active. A wait for its client counts from now. */
  markActive(holder: Holder): void {
    const size = this.#sizes.get(holder)
    if (size === undefined) return
    this.#sizes.delete(holder)
    this.#sizes.set(holder, size)
  }

  release(holder: Holder): void {
    this.#reserved -= this.#sizes.get(holder) ?? 0
    this.#sizes.delete(holder)
  }

  #longestWaiting(): Holder | undefined {
    for (const isWaiting of this.#rule.expendable)
      for (const holder of this.#sizes.keys()) if (isWaiting(holder)) return holder
    return undefined
  }
}

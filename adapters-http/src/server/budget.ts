/** How to make room: which holders to evict, and how. */
type Eviction<Holder> = Readonly<{
  /** Tests for the holders that may be evicted, those of the first test first. */
  candidates: readonly ((holder: Holder) => boolean)[]
  evict: (holder: Holder) => void
}>

/**
 * A limit on a shared resource. At the limit, a reservation evicts other holders: in the order of the tests, and
 * within a test the least recently active first. Without candidates, it returns false.
 */
export class Budget<Holder> {
  readonly #limit: number
  readonly #eviction: Eviction<Holder>
  /** The size of each holder, least recently active first. */
  readonly #sizes = new Map<Holder, number>()
  #reserved = 0
  #evictedCount = 0

  constructor(limit: number, eviction: Eviction<Holder> = { candidates: [], evict: () => {} }) {
    this.#limit = limit
    this.#eviction = eviction
  }

  get reserved(): number {
    return this.#reserved
  }

  /** Returns how many holders were evicted. */
  get evictedCount(): number {
    return this.#evictedCount
  }

  /**
   * Raises the size of the holder to `size`. At the limit, evicts others. Returns false if that does not free enough.
   * While nothing is reserved, a reservation succeeds even above the limit: otherwise a large item could never be sent.
   */
  reserve(holder: Holder, size = 1): boolean {
    const held = this.#sizes.get(holder) ?? 0
    const more = Math.max(0, size - held)
    while (more > 0 && this.#reserved > 0 && this.#reserved + more > this.#limit) {
      const evicted = this.#nextToEvict()
      if (evicted === undefined) return false
      this.release(evicted)
      this.#evictedCount++
      this.#eviction.evict(evicted)
    }
    this.#sizes.set(holder, held + more)
    this.#reserved += more
    return true
  }

  /** Records that the holder is active, so that others are evicted first. */
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

  #nextToEvict(): Holder | undefined {
    for (const isCandidate of this.#eviction.candidates)
      for (const holder of this.#sizes.keys()) if (isCandidate(holder)) return holder
    return undefined
  }
}

/** A line that has just formed may be longer: it may be a burst, and what it knows of its pace may be old. */
const burstMs = 100

/** What one more arrival counts for in the average. */
const weight = 1 / 64

/** Items that wait for their turn, the oldest first, and how long the next one would have to wait. */
export class WaitingLine<A> {
  readonly #items: A[] = []
  #waitingSince = 0
  #lastTaken = 0
  /** Milliseconds from one item that is taken to the next. */
  #pace = 0

  get length(): number {
    return this.#items.length
  }

  push(item: A, now: number): void {
    if (this.#items.length === 0) this.#waitingSince = this.#lastTaken = now
    this.#items.push(item)
  }

  take(now: number): A | undefined {
    const item = this.#items.shift()
    this.#pace += (now - this.#lastTaken - this.#pace) * weight
    this.#lastTaken = now
    return item
  }

  /** Whether one more would have to wait for longer. A line that may move has not stopped, however long ago it moved. */
  isLongerThan(ms: number, now: number, mayMove: boolean): boolean {
    if (this.#items.length === 0 || now - this.#waitingSince < burstMs) return false
    return this.#items.length * this.#pace > ms || (!mayMove && now - this.#lastTaken > ms)
  }
}

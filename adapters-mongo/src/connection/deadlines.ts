/** Each that ends is answered at once, which takes about 0.1 ms. */
const atOnce = 50

/** Refusals take no more than a fifth of that, and would otherwise end all that is overdue in one turn of the event loop. */
const pauseMs = 10

type Waiting = Readonly<{ deadline: number; timeUp: () => void }>

/**
 * Tells each operation when its time is up. One timer serves all, in the order in which they began: one that has less time
 * than those before it may be told as late as they are. `check` is also called whenever an operation begins or would be
 * refused, because timers alone are not enough: while more than 1,024 sockets are readable at once, libuv goes on reading
 * for up to 48 rounds before it runs a timer (`uv__io_poll`), which can take seconds.
 */
export class Deadlines {
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #checkedAt = 0

  get size(): number {
    return this.#waiting.size
  }

  /** Returns how to cancel it. */
  add(ms: number, timeUp: () => void): () => void {
    const waiting = { deadline: performance.now() + ms, timeUp }
    this.#waiting.add(waiting)
    this.#timer ??= setTimeout(() => this.#wake(), ms).unref()
    return () => {
      this.#waiting.delete(waiting)
    }
  }

  /** Ends what is overdue, the next `atOnce` of it: other work has its turn before the rest. */
  check(): void {
    const now = performance.now()
    this.#checkedAt = now
    let left = atOnce
    for (const waiting of this.#waiting) {
      if (waiting.deadline > now || left-- === 0) return
      this.#waiting.delete(waiting)
      waiting.timeUp()
    }
  }

  /** The same for what is refused. */
  checkNowAndThen(): void {
    if (performance.now() - this.#checkedAt >= pauseMs) this.check()
  }

  #wake(): void {
    this.#timer = undefined
    this.check()
    const [next] = this.#waiting
    if (next !== undefined) this.#timer = setTimeout(() => this.#wake(), next.deadline - performance.now()).unref()
  }
}

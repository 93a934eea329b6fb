const chunkSize = 512

/** The ranks from `from` up to, but without, `to`. */
export type Span = Readonly<{ from: number; to: number }>

/**
 * A sorted list whose items are also found by rank. It is kept as many short sorted arrays, so that a write moves the
 * items of one short array only. No two items may compare as equal.
 */
export class RankedList<A> {
  readonly #compare: (a: A, b: A) => number
  readonly #chunks: A[][] = [[]]
  /** Each chunk's last item, side by side: a search that went through the chunks for them would wait for memory. */
  readonly #lasts: A[] = []
  /** The rank of each chunk's first item. Only the first `#known` are up to date; the others wait until they are needed. */
  readonly #starts: number[] = []
  #known = 0
  #latest = 0

  constructor(compare: (a: A, b: A) => number) {
    this.#compare = compare
  }

  insert(item: A): void {
    const isBefore = (other: A): boolean => this.#compare(other, item) < 0
    const index = this.#search(isBefore)
    const chunk = this.#chunk(index)
    const offset = lengthOfStart(chunk, isBefore)
    chunk.splice(offset, 0, item)
    if (chunk.length > chunkSize) {
      // behind a full last chunk begins a new one, so that items that come in order leave full chunks
      const rest = chunk.splice(offset === chunkSize ? chunkSize : chunkSize / 2)
      this.#chunks.splice(index + 1, 0, rest)
      this.#lasts.splice(index + 1, 0, rest.at(-1) as A)
    }
    this.#changed(index)
  }

  remove(item: A): void {
    const isBefore = (other: A): boolean => this.#compare(other, item) < 0
    const index = this.#search(isBefore)
    const chunk = this.#chunk(index)
    chunk.splice(lengthOfStart(chunk, isBefore), 1)
    if (chunk.length === 0 && this.#chunks.length > 1) {
      this.#chunks.splice(index, 1)
      this.#lasts.splice(index, 1)
    }
    this.#changed(index)
  }

  /** How many items are before a boundary: `isBefore` holds for these and for none behind them. */
  rankOf(isBefore: (item: A) => boolean): number {
    const index = this.#search(isBefore)
    return this.#start(index) + lengthOfStart(this.#chunk(index), isBefore)
  }

  /** Appends the items of a span, as far as there are any. */
  copy({ from, to }: Span, into: A[]): A[] {
    for (let rank = from; rank < to; ) {
      const index = this.#holding(rank)
      const start = this.#start(index)
      const chunk = this.#chunk(index)
      const stop = Math.min(to - start, chunk.length)
      if (rank - start >= stop) break
      for (let offset = rank - start; offset < stop; offset++) into.push(chunk[offset] as A)
      rank = start + stop
    }
    return into
  }

  /** The runs of items alike that a window touches, each whole, as far as the span goes that the window is in. */
  runs(window: Span, within: Span, alike: (a: A, b: A) => boolean): Span[] {
    const items = this.copy(window, [])
    const bounds = [window.from - this.#reach(window.from, -1, window.from - within.from, alike)]
    // nothing else is in this loop, so that the processor fetches the next items while it waits for one
    for (let i = 1; i < items.length; i++) {
      if (!alike(items[i - 1] as A, items[i] as A)) bounds.push(window.from + i)
    }
    bounds.push(window.to + this.#reach(window.to - 1, 1, within.to - window.to, alike))
    return bounds.slice(1).map((to, i) => ({ from: bounds[i] as number, to }))
  }

  /** How many items beside a rank are alike, up to the limit. Takes few looks where they are few. */
  #reach(rank: number, step: 1 | -1, limit: number, alike: (a: A, b: A) => boolean): number {
    const item = this.#at(rank)
    let low = 0
    let high = 1
    while (high <= limit && alike(item, this.#at(rank + step * high))) {
      low = high
      high *= 2
    }
    high = Math.min(high, limit + 1)
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (alike(item, this.#at(rank + step * middle))) low = middle
      else high = middle
    }
    return low
  }

  #at(rank: number): A {
    const index = this.#holding(rank)
    return this.#chunk(index)[rank - this.#start(index)] as A
  }

  #chunk(index: number): A[] {
    return this.#chunks[index] as A[]
  }

  /** The chunk that a boundary falls into; the last when all items are before it. */
  #search(isBefore: (item: A) => boolean): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(this.#lasts[middle] as A)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The chunk that holds a rank; the last when the rank is behind all. */
  #holding(rank: number): number {
    // neighbours are asked for one after the other, so it is mostly the same chunk again
    const latest = this.#latest
    if (latest < this.#known) {
      const distance = rank - this.#start(latest)
      if (distance >= 0 && distance < this.#chunk(latest).length) return latest
    }
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#start(middle) <= rank) low = middle
      else high = middle - 1
    }
    this.#latest = low
    return low
  }

  #start(index: number): number {
    for (; this.#known <= index; this.#known++) {
      const previous = this.#known - 1
      this.#starts[this.#known] = previous < 0 ? 0 : (this.#starts[previous] as number) + this.#chunk(previous).length
    }
    return this.#starts[index] as number
  }

  #changed(index: number): void {
    const last = this.#chunks[index]?.at(-1)
    if (last !== undefined) this.#lasts[index] = last
    this.#known = Math.min(this.#known, index)
  }
}

/** How many items at the start of a sorted array are before a boundary. */
const lengthOfStart = <A>(sorted: readonly A[], isBefore: (item: A) => boolean): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(sorted[middle] as A)) low = middle + 1
    else high = middle
  }
  return low
}

const chunkSize = 512

/** The ranks from `from`, inclusive, to `to`, exclusive. */
export type Span = Readonly<{ from: number; to: number }>

/**
 * A sorted list that also finds items by rank. It consists of many short sorted arrays, so that a write moves the items
 * of one short array only. No two items may compare as equal.
 */
export class RankedList<A> {
  readonly #compare: (a: A, b: A) => number
  readonly #chunks: A[][] = [[]]
  /** The last item of each chunk, in one array: a search that reads every chunk for its last item waits for memory. */
  readonly #lasts: A[] = []
  /** The rank of the first item of each chunk. The first `#known` are up to date, the others are computed on demand. */
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
      // an item beyond a full chunk starts a new chunk, so that items inserted in order leave full chunks
      const rest = chunk.splice(offset === chunkSize ? chunkSize : chunkSize / 2)
      this.#chunks.splice(index + 1, 0, rest)
      this.#lasts.splice(index + 1, 0, itemAt(rest, rest.length - 1))
    }
    this.#changed(index)
  }

  remove(item: A): void {
    const isBefore = (other: A): boolean => this.#compare(other, item) < 0
    const index = this.#search(isBefore)
    const chunk = this.#chunk(index)
    chunk.splice(lengthOfStart(chunk, isBefore), 1)
    this.#changed(index)
    if (this.#areShort(index)) this.#join(index)
    else if (this.#areShort(index - 1)) this.#join(index - 1)
  }

  /** How many items are before a boundary. `isBefore` must hold for exactly these. */
  rankOf(isBefore: (item: A) => boolean): number {
    const index = this.#search(isBefore)
    return this.#start(index) + lengthOfStart(this.#chunk(index), isBefore)
  }

  /** Appends the items of a span, or those that exist of it. */
  copy({ from, to }: Span, into: A[]): A[] {
    for (let rank = from; rank < to; ) {
      const index = this.#holding(rank)
      const start = this.#start(index)
      const chunk = this.#chunk(index)
      const stop = Math.min(to - start, chunk.length)
      if (rank - start >= stop) break
      for (let offset = rank - start; offset < stop; offset++) into.push(itemAt(chunk, offset))
      rank = start + stop
    }
    return into
  }

  #chunk(index: number): A[] {
    return itemAt(this.#chunks, index)
  }

  /** The index of the chunk that a boundary falls into; of the last chunk when all items are before the boundary. */
  #search(isBefore: (item: A) => boolean): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(itemAt(this.#lasts, middle))) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The index of the chunk that holds a rank; of the last chunk when the rank is past the end. */
  #holding(rank: number): number {
    // neighbours are read one after the other, so it is mostly the same chunk again
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
      const start = previous < 0 ? 0 : numberAt(this.#starts, previous) + this.#chunk(previous).length
      this.#starts[this.#known] = start
    }
    return numberAt(this.#starts, index)
  }

  /** Whether a chunk and the next one are to be joined. An array keeps the room of the items that were removed from it. */
  #areShort(index: number): boolean {
    const [a, b] = [this.#chunks[index], this.#chunks[index + 1]]
    if (a === undefined || b === undefined) return false
    return a.length === 0 || b.length === 0 || a.length + b.length <= chunkSize / 2
  }

  #join(index: number): void {
    this.#chunks.splice(index, 2, [...this.#chunk(index), ...this.#chunk(index + 1)])
    this.#lasts.splice(index, 1)
    this.#changed(index)
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
    if (isBefore(itemAt(sorted, middle))) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * For an index that is in bounds: the compiler cannot know that it is, and a check would cost time in every comparison.
 * One function for objects and one for numbers, because the engine compiles an access for the kinds of array that it has
 * seen.
 */
const itemAt = <A>(items: readonly A[], index: number): A => items[index] as A
const numberAt = (numbers: readonly number[], index: number): number => numbers[index] as number

const chunkSize = 512

export type Span = Readonly<{ from: number; to: number }>

/**
 * A sorted list whose items are also found by rank. It is kept as many short sorted arrays, so that a write moves the
 * items of one short array only. No two items may compare as equal.
 */
export class RankedList<A> {
  readonly #compare: (a: A, b: A) => number
  readonly #chunks: A[][] = [[]]
  /** The rank of each chunk's first item. Only the first `#known` are up to date; the rest wait until they are asked for. */
  readonly #starts: number[] = []
  #known = 0
  #size = 0
  #hint = 0

  constructor(compare: (a: A, b: A) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#size
  }

  insert(item: A): void {
    const isBefore = (other: A): boolean => this.#compare(other, item) < 0
    const index = this.#chunkAt(isBefore)
    const chunk = this.#chunk(index)
    const offset = lengthOfStart(chunk, isBefore)
    chunk.splice(offset, 0, item)
    // behind a full last chunk comes a new one, so that items that arrive in order fill their chunks
    if (chunk.length > chunkSize) {
      this.#chunks.splice(index + 1, 0, chunk.splice(offset === chunkSize ? chunkSize : chunkSize / 2))
      this.#lasts.splice(index + 1, 0, this.#chunks[index+1]!.at(-1)!)
    }
    this.#note(index); if (chunk.length<=chunkSize/2+1) this.#note(index+1)
    this.#changed(index, 1)
  }

  remove(item: A): void {
    const isBefore = (other: A): boolean => this.#compare(other, item) < 0
    const index = this.#chunkAt(isBefore)
    const chunk = this.#chunk(index)
    chunk.splice(lengthOfStart(chunk, isBefore), 1)
    if (chunk.length === 0 && this.#chunks.length > 1) {this.#chunks.splice(index, 1); this.#lasts.splice(index,1) } else this.#note(index)
    this.#changed(index, -1)
  }

  /** How many items are before a boundary. `isBefore` holds for these and for no other. */
  rankOf(isBefore: (item: A) => boolean): number {
    const index = this.#chunkAt(isBefore)
    return this.#startOf(index) + lengthOfStart(this.#chunk(index), isBefore)
  }

  copy(from: number, to: number, into: A[]): void {
    const end = Math.min(to, this.#size)
    let rank = from
    while (rank < end) {
      const index = this.#chunkOf(rank)
      const chunk = this.#chunk(index)
      const start = this.#startOf(index)
      const stop = Math.min(end - start, chunk.length)
      for (let offset = rank - start; offset < stop; offset++) into.push(chunk[offset] as A)
      rank = start + stop
    }
  }

  /** The items around `rank`, within a span, that are alike. */
  run(rank: number, within: Span, alike: (a: A, b: A) => boolean): Span {
    const item = this.#at(rank)
    const before = reach(rank - within.from, distance => alike(item, this.#at(rank - distance)))
    const after = reach(within.to - 1 - rank, distance => alike(item, this.#at(rank + distance)))
    return { from: rank - before, to: rank + after + 1 }
  }

  #at(rank: number): A {
    const index = this.#chunkOf(rank)
    return this.#chunk(index)[rank - this.#startOf(index)] as A
  }

  #chunk(index: number): A[] {
    return this.#chunks[index] as A[]
  }

  /** The chunk that the boundary falls into, or the last. */
  #chunkAt(isBefore: (item: A) => boolean): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(this.#lasts[middle] as A)) low = middle + 1
      else high = middle
    }
    return low
  }

  #chunkOf(rank: number): number {
    const hint = this.#hint
    if (hint < this.#known && rank >= (this.#starts[hint] as number) && rank < (this.#starts[hint] as number) + this.#chunk(hint).length) return hint
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#startOf(middle) <= rank) low = middle
      else high = middle - 1
    }
    this.#hint = low
    return low
  }

  #startOf(index: number): number {
    const starts = this.#starts
    for (; this.#known <= index; this.#known++) {
      starts[this.#known] =
        this.#known === 0 ? 0 : (starts[this.#known - 1] as number) + this.#chunk(this.#known - 1).length
    }
    return starts[index] as number
  }

  #lasts: A[] = []
  #note(index: number): void {
    if (index < this.#chunks.length) this.#lasts[index] = this.#chunks[index]!.at(-1)!
  }

  #changed(index: number, by: 1 | -1): void {
    this.#known = Math.min(this.#known, index)
    this.#size += by
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

/** How many of the distances 1, 2, 3... to `limit` hold, where none does after one that does not. Cheap when few do. */
const reach = (limit: number, holds: (distance: number) => boolean): number => {
  let low = 0
  let high = 1
  while (high <= limit && holds(high)) {
    low = high
    high *= 2
  }
  high = Math.min(high, limit + 1)
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

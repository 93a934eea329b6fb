import * as O from 'fp-ts/lib/Option.js'

/** The limit of items in a chunk: small enough for cheap insertions, large enough for few chunks. */
const maxChunk = 1024

/** A sorted list in chunks, so that an insertion moves few items. Ranks start at 0. */
export class SortedList<A> {
  readonly #compare: (a: A, b: A) => number
  readonly #chunks: A[][] = []
  #length: number

  /** `sorted` MUST be in order. No two items may compare as equal. */
  constructor(compare: (a: A, b: A) => number, sorted: readonly A[] = []) {
    this.#compare = compare
    this.#length = sorted.length
    const half = maxChunk / 2
    for (let from = 0; from < sorted.length; from += half) this.#chunks.push(sorted.slice(from, from + half))
  }

  get length(): number {
    return this.#length
  }

  insert(item: A): void {
    this.#length++
    const last = this.#chunks.at(-1)
    if (last === undefined || this.#compare(last.at(-1) as A, item) < 0) {
      if (last !== undefined && last.length < maxChunk) last.push(item)
      else this.#chunks.push([item])
      return
    }
    const { chunkIndex, itemIndex } = this.#locate(other => this.#compare(other, item) < 0)
    const chunk = this.#chunks[chunkIndex] as A[]
    chunk.splice(itemIndex, 0, item)
    if (chunk.length > maxChunk) this.#chunks.splice(chunkIndex + 1, 0, chunk.splice(maxChunk / 2))
  }

  remove(item: A): void {
    const { chunkIndex, itemIndex } = this.#locate(other => this.#compare(other, item) < 0)
    const chunk = this.#chunks[chunkIndex]
    if (chunk === undefined) return
    chunk.splice(itemIndex, 1)
    this.#length--
    if (chunk.length === 0) this.#chunks.splice(chunkIndex, 1)
  }

  /** Returns the first item for which `isBefore` is false. Once it is false, it MUST be false for all later items. */
  first(isBefore: (item: A) => boolean): O.Option<A> {
    const { chunkIndex, itemIndex } = this.#locate(isBefore)
    return O.fromNullable(this.#chunks[chunkIndex]?.[itemIndex])
  }

  /** Returns the rank of the item that `first` finds, or the length of the list. */
  rank(isBefore: (item: A) => boolean): number {
    const { chunkIndex, itemIndex } = this.#locate(isBefore)
    if (chunkIndex === this.#chunks.length) return this.#length
    let before = itemIndex
    for (let i = 0; i < chunkIndex; i++) before += this.#chunks[i]?.length ?? 0
    return before
  }

  /** Returns the items from rank `from` up to, but not including, rank `to`. */
  slice(from: number, to: number): A[] {
    const items: A[] = []
    let start = 0
    for (const chunk of this.#chunks) {
      if (start >= to) break
      if (start + chunk.length > from) items.push(...chunk.slice(Math.max(0, from - start), to - start))
      start += chunk.length
    }
    return items
  }

  #locate(isBefore: (item: A) => boolean): Readonly<{ chunkIndex: number; itemIndex: number }> {
    // a chunk is never empty
    const chunkIndex = partitionPoint(this.#chunks, chunk => isBefore(chunk[chunk.length - 1] as A))
    const chunk = this.#chunks[chunkIndex]
    return { chunkIndex, itemIndex: chunk === undefined ? 0 : partitionPoint(chunk, isBefore) }
  }
}

/** Returns the index of the first item for which the test is false, by binary search. */
const partitionPoint = <A>(items: readonly A[], test: (item: A) => boolean): number => {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(items[middle] as A)) low = middle + 1
    else high = middle
  }
  return low
}

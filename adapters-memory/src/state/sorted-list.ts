/** The limit of items in a chunk: small enough for cheap insertions, large enough for few chunks. */
const maxChunk = 1024

/**
 * A sorted list in chunks, so that an insertion moves few items. Ranks start at 0. A key is the part of an item that
 * the order depends on.
 */
export class SortedList<Key, Item extends Key = Key> {
  readonly #compare: (a: Key, b: Key) => number
  readonly #chunks: Item[][] = []

  /** `sorted` MUST be in order. No two items may compare as equal. */
  constructor(compare: (a: Key, b: Key) => number, sorted: readonly Item[]) {
    this.#compare = compare
    const half = maxChunk / 2
    for (let from = 0; from < sorted.length; from += half) this.#chunks.push(sorted.slice(from, from + half))
  }

  /** Returns the item that compares as equal to the key. */
  find(key: Key): Item | undefined {
    const { chunkIndex, itemIndex } = this.#locate(key)
    const item = this.#chunks[chunkIndex]?.[itemIndex]
    return item !== undefined && this.#compare(item, key) === 0 ? item : undefined
  }

  insert(item: Item): void {
    const last = this.#chunks.at(-1)
    if (last === undefined || this.#compare(last.at(-1) as Item, item) < 0) {
      if (last !== undefined && last.length < maxChunk) last.push(item)
      else this.#chunks.push([item])
      return
    }
    const { chunkIndex, itemIndex } = this.#locate(item)
    const chunk = this.#chunks[chunkIndex] as Item[]
    chunk.splice(itemIndex, 0, item)
    if (chunk.length > maxChunk) this.#chunks.splice(chunkIndex + 1, 0, chunk.splice(maxChunk / 2))
  }

  remove(item: Item): void {
    const { chunkIndex, itemIndex } = this.#locate(item)
    const chunk = this.#chunks[chunkIndex]
    chunk?.splice(itemIndex, 1)
    if (chunk?.length === 0) this.#chunks.splice(chunkIndex, 1)
  }

  /** Returns the number of items before the key. */
  rank(key: Key): number {
    const { chunkIndex, itemIndex } = this.#locate(key)
    let before = itemIndex
    for (let i = 0; i < chunkIndex; i++) before += this.#chunks[i]?.length ?? 0
    return before
  }

  /** Returns the items from rank `from` up to, but not including, rank `to`. */
  slice(from: number, to: number): Item[] {
    const items: Item[] = []
    let start = 0
    for (const chunk of this.#chunks) {
      if (start >= to) break
      if (start + chunk.length > from) items.push(...chunk.slice(Math.max(0, from - start), to - start))
      start += chunk.length
    }
    return items
  }

  /** Returns the indexes of the first item that is not before the key. */
  #locate(key: Key): Readonly<{ chunkIndex: number; itemIndex: number }> {
    const compare = this.#compare
    // a chunk is never empty
    const chunkIndex = partitionPoint(this.#chunks, chunk => compare(chunk[chunk.length - 1] as Item, key) < 0)
    const chunk = this.#chunks[chunkIndex] ?? []
    return { chunkIndex, itemIndex: partitionPoint(chunk, item => compare(item, key) < 0) }
  }
}

/** Returns the index of the first item for which the test is false, by binary search. */
const partitionPoint = <A>(items: readonly A[], test: (item: A) => boolean): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(items[middle] as A)) low = middle + 1
    else high = middle
  }
  return low
}

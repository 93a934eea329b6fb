import type { Column } from './slots.js'

/** The most items of a chunk. */
const chunkSize = 1024

/** Slots sort ascending by a column, those that are equal there by the comparison. Two slots are never equal in both. */
export type Sorting = Readonly<{ column: Column; compare: (a: number, b: number) => number }>

/** The ranks from `from`, inclusive, to `to`, exclusive. */
export type Span = Readonly<{ from: number; to: number }>

/**
 * A sorted list of slots that also finds them by rank. It consists of many short sorted arrays, so that a write moves the
 * slots of one short array only.
 */
export class RankedList {
  readonly #sorting: Sorting
  readonly #chunks: Chunk[] = [new Chunk()]
  /** The last item of each chunk, in one array: a search that reads every chunk for its last item waits for memory. */
  readonly #lasts: number[] = []
  /** The rank of the first item of each chunk. The first `#known` are up to date, the others are computed on demand. */
  readonly #starts: number[] = []
  #known = 0
  #length = 0

  constructor(sorting: Sorting) {
    this.#sorting = sorting
  }

  get length(): number {
    return this.#length
  }

  insert(slot: number): void {
    const last = this.#chunks.length - 1
    // most slots go behind all others, as ids and times grow
    const isLast = this.#length > 0 && this.#isBefore(numberAt(this.#lasts, last), slot)
    const index = isLast ? last : this.#chunkFor(slot)
    const chunk = chunkAt(this.#chunks, index)
    const offset = isLast ? chunk.length : this.#countBefore(slot, chunk.slots, chunk.length)
    this.#length++
    if (chunk.length === chunkSize) this.#split(index, offset, slot)
    else chunk.insert(offset, slot)
    this.#changed(index)
  }

  remove(slot: number): void {
    this.#removeAt(this.placeOf(slot))
  }

  /** Where a slot is, until the list changes. */
  placeOf(slot: number): number {
    const index = this.#chunkFor(slot)
    const { slots, length } = chunkAt(this.#chunks, index)
    return index * chunkSize + this.#countBefore(slot, slots, length)
  }

  /** Moves the slot at this place to where it belongs, after what it is sorted by has changed. */
  settle(slot: number, place: number): void {
    const index = Math.floor(place / chunkSize)
    const { slots, length } = chunkAt(this.#chunks, index)
    const offset = place % chunkSize
    const isBetweenNeighbours =
      0 < offset &&
      offset < length - 1 &&
      this.#isBefore(numberAt(slots, offset - 1), slot) &&
      this.#isBefore(slot, numberAt(slots, offset + 1))
    if (isBetweenNeighbours) return
    this.#removeAt(place)
    this.insert(slot)
  }

  #removeAt(place: number): void {
    const index = Math.floor(place / chunkSize)
    chunkAt(this.#chunks, index).remove(place % chunkSize)
    this.#length--
    this.#changed(index)
    if (this.#areShort(index)) this.#join(index)
    else if (this.#areShort(index - 1)) this.#join(index - 1)
  }

  /** Replaces all slots by these, which must be sorted. */
  fill(sorted: ArrayLike<number>): this {
    const slots = new Uint32Array(sorted)
    this.#chunks.length = this.#lasts.length = this.#known = 0
    for (let from = 0; from === 0 || from < slots.length; from += chunkSize) {
      this.#chunks.push(new Chunk(slots.slice(from, from + chunkSize)))
      this.#changed(this.#chunks.length - 1)
    }
    this.#length = slots.length
    return this
  }

  /** How many slots have less than this value in the column. */
  countBelow(value: number): number {
    const { values } = this.#sorting.column
    const index = countBelow(value, values, this.#lasts, this.#chunks.length - 1)
    const { slots, length } = chunkAt(this.#chunks, index)
    return this.#start(index) + countBelow(value, values, slots, length)
  }

  /** How many slots at the start of the list are before a boundary. */
  countBefore(isBefore: (slot: number) => boolean): number {
    const index = partitionPoint(this.#lasts, this.#chunks.length - 1, isBefore)
    const { slots, length } = chunkAt(this.#chunks, index)
    return this.#start(index) + partitionPoint(slots, length, isBefore)
  }

  /** The first slot that has this value or more. */
  firstFrom(value: number): number | undefined {
    const { values } = this.#sorting.column
    const chunk = chunkAt(this.#chunks, countBelow(value, values, this.#lasts, this.#chunks.length - 1))
    const offset = countBelow(value, values, chunk.slots, chunk.length)
    return offset < chunk.length ? chunk.slots[offset] : undefined
  }

  all(): Uint32Array {
    const slots = new Uint32Array(this.#length)
    let end = 0
    for (const chunk of this.#chunks) {
      slots.set(chunk.slots.subarray(0, chunk.length), end)
      end += chunk.length
    }
    return slots
  }

  /** The slots of a span, or those that exist of it. */
  copy({ from, to }: Span): number[] {
    const copied: number[] = []
    let index = this.#holding(from)
    let offset = from - this.#start(index)
    for (let wanted = to - from; wanted > 0 && index < this.#chunks.length; offset = 0, index++) {
      const { slots, length } = chunkAt(this.#chunks, index)
      const stop = Math.min(length, offset + wanted)
      wanted -= Math.max(0, stop - offset)
      for (; offset < stop; offset++) copied.push(numberAt(slots, offset))
    }
    return copied
  }

  #split(index: number, offset: number, slot: number): void {
    // a slot beyond a full chunk starts a new chunk, so that slots inserted in order leave full chunks
    const cut = offset === chunkSize ? chunkSize : chunkSize / 2
    const chunk = chunkAt(this.#chunks, index)
    const rest = chunk.cut(cut)
    if (offset < cut) chunk.insert(offset, slot)
    else rest.insert(offset - cut, slot)
    this.#chunks.splice(index + 1, 0, rest)
    this.#lasts.splice(index + 1, 0, rest.last)
  }

  /** The index of the chunk that a slot belongs in: the last one when all slots are before it. */
  #chunkFor(slot: number): number {
    return this.#countBefore(slot, this.#lasts, this.#chunks.length - 1)
  }

  /** How many of the first slots of a sorted array are before a slot. */
  #countBefore(slot: number, sorted: ArrayLike<number>, length: number): number {
    const { column, compare } = this.#sorting
    const { values } = column
    const value = numberAt(values, slot)
    let low = 0
    let high = length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = numberAt(sorted, middle)
      const order = numberAt(values, other) - value || compare(other, slot)
      if (order < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #isBefore(a: number, b: number): boolean {
    const { column, compare } = this.#sorting
    return (numberAt(column.values, a) - numberAt(column.values, b) || compare(a, b)) < 0
  }

  /** The index of the chunk that holds a rank; of the last chunk when the rank is past the end. */
  #holding(rank: number): number {
    this.#start(this.#chunks.length - 1)
    return Math.max(0, partitionPoint(this.#starts, this.#chunks.length, start => start <= rank) - 1)
  }

  #start(index: number): number {
    for (; this.#known <= index; this.#known++) {
      const previous = this.#known - 1
      this.#starts[this.#known] =
        previous < 0 ? 0 : numberAt(this.#starts, previous) + chunkAt(this.#chunks, previous).length
    }
    return numberAt(this.#starts, index)
  }

  /** Whether a chunk and the next one are to be joined. */
  #areShort(index: number): boolean {
    const a = this.#chunks[index]
    const b = this.#chunks[index + 1]
    if (a === undefined || b === undefined) return false
    return a.length === 0 || b.length === 0 || a.length + b.length <= chunkSize / 2
  }

  #join(index: number): void {
    const [next] = this.#chunks.splice(index + 1, 1)
    if (next !== undefined) chunkAt(this.#chunks, index).append(next)
    this.#lasts.splice(index, 1)
    this.#changed(index)
  }

  #changed(index: number): void {
    const chunk = chunkAt(this.#chunks, index)
    if (chunk.length > 0) this.#lasts[index] = chunk.last
    this.#known = Math.min(this.#known, index + 1)
  }
}

/** Slots in one block of memory, which the garbage collector does not look into. */
class Chunk {
  slots: Uint32Array
  length: number

  constructor(slots = new Uint32Array()) {
    this.slots = slots
    this.length = slots.length
  }

  get last(): number {
    return numberAt(this.slots, this.length - 1)
  }

  insert(offset: number, slot: number): void {
    if (this.length === this.slots.length) this.#resize(Math.min(chunkSize, 2 * this.length + 8))
    if (offset < this.length) this.slots.copyWithin(offset + 1, offset, this.length)
    this.slots[offset] = slot
    this.length++
  }

  remove(offset: number): void {
    this.slots.copyWithin(offset, offset + 1, this.length)
    this.length--
  }

  append({ slots, length }: Chunk): void {
    this.#resize(this.length + length)
    this.slots.set(slots.subarray(0, length), this.length)
    this.length += length
  }

  /** Takes the slots from an offset on into a new chunk. */
  cut(offset: number): Chunk {
    const rest = new Chunk(this.slots.slice(offset, this.length))
    this.length = offset
    return rest
  }

  #resize(size: number): void {
    const { slots } = this
    this.slots = new Uint32Array(size)
    this.slots.set(slots.subarray(0, this.length))
  }
}

/** How many of the first slots of an array have less than this value in a column that it is sorted by. */
const countBelow = (value: number, values: Float64Array, sorted: ArrayLike<number>, length: number): number =>
  partitionPoint(sorted, length, slot => numberAt(values, slot) < value)

/** How many numbers at the start of a sorted array are before a boundary. */
const partitionPoint = (sorted: ArrayLike<number>, length: number, isBefore: (item: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(numberAt(sorted, middle))) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * For an index that is in bounds: the compiler cannot know that it is, and a check would cost time in every comparison.
 * One function for chunks and one for numbers, because the engine compiles an access for the kinds of array that it has
 * seen.
 */
const chunkAt = (chunks: readonly Chunk[], index: number): Chunk => chunks[index] as Chunk
const numberAt = (numbers: ArrayLike<number>, index: number): number => numbers[index] as number

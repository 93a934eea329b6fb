import { compareText } from '@snippets/domain/text.js'
import type { Ranks } from './sorted-slots.js'

/** Labels are whole numbers between 0 and this. */
const end = 2 ** 53

/** How far apart texts are labelled that come in order. */
const stride = 2 ** 24

/** Texts that come in order take this share of the room that is left each time. */
const shareInOrder = 32

/** The most texts of a chunk. */
const chunkSize = 128

/** New labels by the old ones, which are between `from` and `to`, both inclusive. Their order is the same. */
export type Relabelled = Readonly<{ from: number; to: number; labels: ReadonlyMap<number, number> }>

/** Sorted texts, and beside each its label and how often it is in use: once, where nothing says so. */
type Chunk = { texts: string[]; labels: number[]; uses: number[] | undefined }

/**
 * Numbers that sort as texts do, so that a new text is searched for once, and all indexes compare numbers. Equal texts share
 * a label. Labels are given as in Dietz and Sleator, "Two algorithms for maintaining order in a list" (1987): between the
 * neighbours, and where no number is left between them, those around are spread out.
 */
export class TextLabels {
  readonly #relabel: (relabelled: Relabelled) => void
  readonly #chunks: Chunk[] = [{ texts: [], labels: [], uses: undefined }]
  /** The last text of each chunk. */
  readonly #lasts: string[] = []
  /** The label that was given last, and on which side of the one before, where it came right beside that. */
  #newest: number | undefined
  #side: 'after' | 'before' | undefined

  /** `relabel` must replace the labels that were given out. */
  constructor(relabel: (relabelled: Relabelled) => void) {
    this.#relabel = relabel
  }

  /** Starts with these texts, and returns the label and the rank of each, and by its rank the text as it is kept here. */
  fill(texts: readonly string[]): Readonly<{ labels: Float64Array; ranks: Ranks; kept: readonly string[] }> {
    const sorted: string[] = []
    const uses: number[] = []
    const of = new Uint32Array(texts.length)
    let rank = -1
    for (const i of placesInOrder(texts)) {
      const text = texts[i] as string
      if (rank < 0 || text !== sorted[rank]) {
        rank = sorted.push(text) - 1
        uses.push(0)
      }
      uses[rank] = (uses[rank] as number) + 1
      of[i] = rank
    }
    const step = Math.floor(end / (sorted.length + 1))
    this.#replace(sorted, uses, step)
    const labels = new Float64Array(of).map(each => (each + 1) * step)
    return { labels, ranks: { of, count: sorted.length }, kept: sorted }
  }

  /** The label of a text that is in use. */
  find(text: string): number | undefined {
    const { chunk, offset } = this.#search(text)
    return chunk.texts[offset] === text ? chunk.labels[offset] : undefined
  }

  /** The label of a text that is used once more, and the text as it is kept here: equal texts need be in memory once only. */
  use(text: string): Readonly<{ label: number; kept: string }> {
    const { chunk, index, offset } = this.#search(text)
    if (chunk.texts[offset] === text) {
      chunk.uses ??= usesOf(chunk)
      chunk.uses[offset] = (chunk.uses[offset] ?? 0) + 1
      return { label: chunk.labels[offset] as number, kept: chunk.texts[offset] as string }
    }
    const label = this.#between(index, offset)
    if (label === undefined) {
      this.#spread(index)
      return this.use(text)
    }
    this.#newest = label
    chunk.texts.splice(offset, 0, text)
    chunk.labels.splice(offset, 0, label)
    chunk.uses?.splice(offset, 0, 1)
    if (chunk.texts.length > chunkSize) this.#split(index, offset === chunkSize ? chunkSize : chunkSize / 2)
    this.#changed(index)
    return { label, kept: text }
  }

  /** A text is used once less. */
  release(text: string): void {
    const { chunk, index, offset } = this.#search(text)
    const { uses } = chunk
    const count = uses?.[offset] ?? 1
    if (uses !== undefined && count > 1) {
      uses[offset] = count - 1
      return
    }
    chunk.texts.splice(offset, 1)
    chunk.labels.splice(offset, 1)
    uses?.splice(offset, 1)
    this.#changed(index)
    if (this.#areShort(index)) this.#join(index)
    else if (this.#areShort(index - 1)) this.#join(index - 1)
  }

  #replace(sorted: readonly string[], uses: readonly number[], step: number): void {
    this.#chunks.length = this.#lasts.length = 0
    for (let from = 0; from === 0 || from < sorted.length; from += chunkSize) {
      const texts = sorted.slice(from, from + chunkSize)
      const labels = texts.map((_, i) => (from + i + 1) * step)
      this.#chunks.push({ texts, labels, uses: unlessOnce(uses.slice(from, from + chunkSize)) })
      this.#changed(this.#chunks.length - 1)
    }
  }

  #search(text: string): Readonly<{ chunk: Chunk; index: number; offset: number }> {
    const isLess = inOrderOfUnits.test(text) ? isLessByUnit : isLessByCodePoint
    const index = countBefore(text, this.#lasts, this.#chunks.length - 1, isLess)
    const chunk = this.#chunks[index] as Chunk
    return { chunk, index, offset: countBefore(text, chunk.texts, chunk.texts.length, isLess) }
  }

  /** A label for a text before this offset, if one is left. */
  #between(index: number, offset: number): number | undefined {
    const { labels } = this.#chunks[index] as Chunk
    const previous = offset > 0 ? labels[offset - 1] : this.#chunks[index - 1]?.labels.at(-1)
    const next = labels[offset]
    const low = previous ?? 0
    const high = next ?? end
    const gap = high - low
    if (gap < 2) return undefined
    if (next === undefined && previous !== undefined) return low + Math.min(Math.floor(gap / 2), stride)
    const side = previous === this.#newest ? 'after' : next === this.#newest ? 'before' : undefined
    const isInOrder = side !== undefined && side === this.#side
    this.#side = side
    if (!isInOrder) return low + Math.floor(gap / 2)
    // halfway each time would soon leave no number, and spreading was a fifth of each new title
    const step = Math.max(1, Math.floor(gap / shareInOrder))
    return side === 'after' ? low + step : high - step
  }

  /** Spreads out the labels of a chunk, and of twice as many around it again until there is plenty of room. */
  #spread(index: number): void {
    for (let reach = 0; ; reach = 2 * reach + 1) {
      const chunks = this.#chunks.slice(Math.max(0, index - reach), index + reach + 1)
      const labels = chunks.flatMap(chunk => chunk.labels)
      const low = this.#chunks[index - reach - 1]?.labels.at(-1) ?? 0
      const high = this.#chunks[index + reach + 1]?.labels[0] ?? end
      if (high - low <= 4 * labels.length ** 2 && chunks.length < this.#chunks.length) continue
      const step = Math.floor((high - low) / (labels.length + 1))
      const relabelled = new Map(labels.map((label, i) => [label, low + (i + 1) * step]))
      for (const chunk of chunks) chunk.labels = chunk.labels.map(label => relabelled.get(label) as number)
      this.#relabel({ from: labels[0] as number, to: labels.at(-1) as number, labels: relabelled })
      return
    }
  }

  #split(index: number, cut: number): void {
    const chunk = this.#chunks[index] as Chunk
    const { texts, labels, uses } = chunk
    const rest = { texts: texts.splice(cut), labels: labels.splice(cut), uses: unlessOnce(uses?.splice(cut)) }
    chunk.uses = unlessOnce(uses)
    this.#chunks.splice(index + 1, 0, rest)
    this.#lasts.splice(index + 1, 0, rest.texts.at(-1) as string)
  }

  #areShort(index: number): boolean {
    const [a, b] = [this.#chunks[index]?.texts.length, this.#chunks[index + 1]?.texts.length]
    if (a === undefined || b === undefined) return false
    return a === 0 || b === 0 || a + b <= chunkSize / 2
  }

  #join(index: number): void {
    const [a, b] = this.#chunks.splice(index, 2) as [Chunk, Chunk]
    this.#chunks.splice(index, 0, {
      texts: [...a.texts, ...b.texts],
      labels: [...a.labels, ...b.labels],
      uses: a.uses === undefined && b.uses === undefined ? undefined : [...usesOf(a), ...usesOf(b)],
    })
    this.#lasts.splice(index, 1)
    this.#changed(index)
  }

  #changed(index: number): void {
    const last = this.#chunks[index]?.texts.at(-1)
    if (last !== undefined) this.#lasts[index] = last
  }
}

const unlessOnce = (uses: number[] | undefined) => (uses?.some(count => count > 1) ? uses : undefined)

const usesOf = ({ texts, uses }: Chunk): number[] => uses ?? texts.map(() => 1)

/** The places of these texts, in the order of the texts. */
const placesInOrder = (texts: readonly string[]): Uint32Array => {
  const places = new Uint32Array(texts.length)
  const isWide = new Uint8Array(texts.length)
  for (const [i, text] of texts.entries()) {
    places[i] = i
    if (!inOrderOfUnits.test(text)) isWide[i] = 1
  }
  return places.sort((a, b) => {
    const x = texts[a] as string
    const y = texts[b] as string
    if (isWide[a] === 1 && isWide[b] === 1) return compareText(x, y)
    return x < y ? -1 : x === y ? 0 : 1
  })
}

/** How many of the first of these sorted texts are before a text. */
const countBefore = (text: string, sorted: readonly string[], length: number, isLess: typeof isLessByUnit): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isLess(sorted[middle] as string, text)) low = middle + 1
    else high = middle
  }
  return low
}

/** A text without surrogates, and without what sorts after them, is ordered among all texts as by code points. */
const inOrderOfUnits = /^[\0-\ud7ff]*$/

/** Several times as fast. */
const isLessByUnit = (a: string, b: string): boolean => a < b
const isLessByCodePoint = (a: string, b: string): boolean => compareText(a, b) < 0

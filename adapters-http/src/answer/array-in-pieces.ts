import { ownTurn } from './turns.js'

/** Of characters. A client that reads nothing of its answer costs one piece. */
export const pieceLength = 32 * 1024

type Options<A> = Readonly<{
  /** The JSON before the first item, with the opening bracket. */
  before: string
  batches: AsyncIterable<readonly A[]>
  jsonOf: (item: A) => string
  /** The JSON from the closing bracket on. */
  after: string
}>

/**
 * A JSON array, one piece at a time: items are made into JSON when the client has taken those before. Every piece but the last
 * has `pieceLength` or more. Not a generator, which would keep the piece that it has yielded until the next one is asked for.
 */
class ArrayInPieces<A> implements AsyncIterator<string> {
  readonly #source: AsyncIterator<readonly A[]>
  readonly #jsonOf: (item: A) => string
  readonly #after: string
  #items: readonly A[] = []
  #index = 0
  #start: string
  #hasEnded = false

  constructor({ before, batches, jsonOf, after }: Options<A>) {
    this.#source = batches[Symbol.asyncIterator]()
    this.#jsonOf = jsonOf
    this.#after = after
    this.#start = before
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#hasEnded) return { done: true, value: undefined }
    // back-pressure alone does not give other requests a turn
    if (this.#start === ',') await ownTurn()
    let piece = ''
    while (piece.length < pieceLength) {
      const item = this.#items[this.#index++]
      if (item !== undefined) {
        piece += this.#start + this.#jsonOf(item)
        this.#start = ','
      } else if (!(await this.#nextBatch())) return { value: piece + this.#end() }
    }
    return { value: piece }
  }

  async #nextBatch(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    this.#items = value
    this.#index = 0
    return true
  }

  #end(): string {
    this.#hasEnded = true
    return this.#start === ',' ? this.#after : this.#start + this.#after
  }
}

export const arrayInPieces = <A>(options: Options<A>): AsyncIterable<string> => ({
  [Symbol.asyncIterator]: () => new ArrayInPieces(options),
})

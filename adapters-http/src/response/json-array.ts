import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Characters of a piece. Other requests wait while it is made, and a client that does not read holds one in memory. */
const pieceLength = 16 * 1024

/** The queue of all streams for turns of the event loop. Many streams that use the same turn would block the process. */
let turns = Promise.resolve()

/** Waits for a turn of the event loop that no other stream uses. */
const ownTurn = (): Promise<void> => {
  turns = turns.then(() => nextTurn())
  return turns
}

/** Yields a JSON object that ends with an array, after `prefix`. Each piece is made when the client has taken the last one. */
async function* pieces<A>(
  prefix: string,
  batches: AsyncIterable<readonly A[]> | Iterable<readonly A[]>,
  jsonOf: (item: A) => string,
): AsyncGenerator<Buffer, void> {
  let piece = prefix
  let separator = ''
  for await (const items of batches)
    for (const item of items) {
      piece += separator + jsonOf(item)
      separator = ','
      if (piece.length < pieceLength) continue
      // a stream counts the bytes of a Buffer, but the characters of a string
      const bytes = Buffer.from(piece)
      // the generator would hold the text while it waits for the client
      piece = ''
      yield bytes
      await ownTurn()
    }
  yield Buffer.from(`${piece}]}`)
}

/** Streams the pieces and buffers none, as a buffered piece would not count as unsent. `Readable.from` reads one ahead. */
export const streamedArray = <A>(...array: Parameters<typeof pieces<A>>): Readable => {
  const source = pieces(...array)
  return new Readable({
    highWaterMark: 0,
    read() {
      source.next().then(
        ({ value }) => this.push(value ?? null),
        (error: Error) => this.destroy(error),
      )
    },
    destroy: (error, done) => {
      source.return().then(() => done(error), done)
    },
  })
}

/** Returns a short array as a string and a long one as a stream. */
export const arrayOf = <A>(prefix: string, items: readonly A[], jsonOf: (item: A) => string): string | Readable => {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = jsonOf(item)
    length += text.length
    if (length > pieceLength) return streamedArray(prefix, [items], jsonOf)
    texts.push(text)
  }
  return `${prefix}${texts.join(',')}]}`
}

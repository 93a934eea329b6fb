import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** In characters. Other requests wait while a piece is made, and a client that does not read keeps one in memory. */
const pieceLength = 16 * 1024

/** The queue of all streams for turns of the event loop. If each made a piece in the same turn, many would block the process. */
let turns = Promise.resolve()

/** Waits for a turn of the event loop that no other stream uses. */
const ownTurn = (): Promise<void> => {
  turns = turns.then(() => nextTurn())
  return turns
}

/** A JSON array with what stands before it, in pieces. Each item is made into JSON when the client has taken those before. */
async function* pieces<A>(
  before: string,
  batches: AsyncIterable<readonly A[]> | Iterable<readonly A[]>,
  jsonOf: (item: A) => string,
): AsyncGenerator<Buffer, void> {
  let piece = before
  let separator = ''
  for await (const items of batches)
    for (const item of items) {
      piece += separator + jsonOf(item)
      separator = ','
      if (piece.length < pieceLength) continue
      // streams count the characters of a text, and the bytes of a buffer
      const bytes = Buffer.from(piece)
      // before the wait for the client, which would keep the text as well
      piece = ''
      yield bytes
      await ownTurn()
    }
  yield Buffer.from(`${piece}]}`)
}

/** A stream of the pieces. It holds none, which would not count as unsent: `Readable.from` reads one ahead. */
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

/** One text where it is short. */
export const arrayOf = <A>(before: string, items: readonly A[], jsonOf: (item: A) => string): string | Readable => {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = jsonOf(item)
    length += text.length
    if (length > pieceLength) return streamedArray(before, [items], jsonOf)
    texts.push(text)
  }
  return `${before}${texts.join(',')}]}`
}

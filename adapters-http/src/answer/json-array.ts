import { Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** In characters. Of a longer text others would wait until it is made, and a client that reads nothing would keep all of it. */
const pieceLength = 64 * 1024

/** A JSON array with what stands before it, in pieces. Each item is made into JSON when the client has taken those before. */
async function* pieces<A>(
  before: string,
  batches: AsyncIterable<readonly A[]> | Iterable<readonly A[]>,
  jsonOf: (item: A) => string,
): AsyncGenerator<string> {
  let piece = before
  let separator = ''
  for await (const items of batches)
    for (const item of items) {
      piece += separator + jsonOf(item)
      separator = ','
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
      // back-pressure alone does not let others have a turn
      await turnOfTheLoop()
    }
  yield `${piece}]}`
}

export const streamedArray = <A>(
  before: string,
  batches: AsyncIterable<readonly A[]>,
  jsonOf: (item: A) => string,
): Readable => Readable.from(pieces(before, batches, jsonOf))

/** One text where it is short. */
export const arrayOf = <A>(before: string, items: readonly A[], jsonOf: (item: A) => string): string | Readable => {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = jsonOf(item)
    length += text.length
    if (length > pieceLength) return Readable.from(pieces(before, [items], jsonOf))
    texts.push(text)
  }
  return `${before}${texts.join(',')}]}`
}

import type { LongBody } from './response.js'

/** The length of a chunk: short, because its creation blocks the event loop, and each stalled client holds one. */
const chunkLength = 16 * 1024

/** Yields `prefix`, the items and `]}` in chunks. */
export async function* jsonPieces<A>(
  prefix: string,
  batches: AsyncIterable<readonly A[]> | Iterable<readonly A[]>,
  jsonOf: (item: A) => string,
): AsyncGenerator<Buffer, void> {
  let chunk = prefix
  let separator = ''
  for await (const items of batches)
    for (const item of items) {
      chunk += separator + jsonOf(item)
      separator = ','
      if (chunk.length < chunkLength) continue
      // a stream counts bytes for a Buffer, but characters for a string
      const bytes = Buffer.from(chunk)
      // the generator would hold the text while it waits for the client
      chunk = ''
      yield bytes
    }
  yield Buffer.from(`${chunk}]}`)
}

/** Returns `prefix`, the items and `]}`: a short list as a text, a long list in pieces. */
export const jsonArray = <A>(prefix: string, items: readonly A[], jsonOf: (item: A) => string): string | LongBody => {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = jsonOf(item)
    length += text.length
    // renders the items again, one piece at a time, because all texts together would take too much memory
    if (length > chunkLength) return { pieces: jsonPieces(prefix, [items], jsonOf), bytes: textBytes(items) }
    texts.push(text)
  }
  // `join` makes a flat text, which is faster to write than another concatenation
  return [prefix, texts.join(','), ']}'].join('')
}

/** Returns an upper bound of the bytes that the texts of a value take in memory. */
const textBytes = (value: unknown): number => {
  if (typeof value === 'string') return 2 * value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((bytes: number, item) => bytes + textBytes(item), 0)
}

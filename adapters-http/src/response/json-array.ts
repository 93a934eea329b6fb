import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Characters of a chunk. Creating a chunk blocks the event loop, and each stalled client keeps a chunk in memory. */
const chunkLength = 16 * 1024

/** The last turn that a stream has reserved. Many chunks in one turn of the event loop would delay all other requests. */
let lastTurn = Promise.resolve()

/** Waits for a turn of the event loop that no other stream uses. */
const ownTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(() => nextTurn())
  return lastTurn
}

/** Yields `prefix`, the items and `]}` in chunks, with backpressure: each chunk is created on demand. */
async function* chunks<A>(
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
      // a stream counts the bytes of a Buffer, but the characters of a string
      const bytes = Buffer.from(chunk)
      // the generator would hold the text while it waits for the client
      chunk = ''
      yield bytes
      await ownTurn()
    }
  yield Buffer.from(`${chunk}]}`)
}

/** Streams without a buffer, because `unsentBytes` counts only bytes in sockets. `Readable.from` would read a chunk ahead. */
export const streamJsonArray = <A>(...array: Parameters<typeof chunks<A>>): Readable => {
  const source = chunks(...array)
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
export const jsonArray = <A>(prefix: string, items: readonly A[], jsonOf: (item: A) => string): string | Readable => {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = jsonOf(item)
    length += text.length
    if (length > chunkLength) return streamJsonArray(prefix, [items], jsonOf)
    texts.push(text)
  }
  return `${prefix}${texts.join(',')}]}`
}

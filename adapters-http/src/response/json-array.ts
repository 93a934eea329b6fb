import { finished, Readable } from 'node:stream'
import { nextExclusiveTurn } from '../server/exclusive-turn.js'
import { type LongResponses, markActiveOnResume } from '../server/long-responses.js'
import { overloadProblem } from './problems.js'
import { type HttpResponse, jsonResponse, problemResponse } from './response.js'

/** Characters of a chunk. A chunk blocks the event loop at its creation, and each stalled client holds a chunk. */
const chunkLength = 16 * 1024

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
      // a stream counts bytes for a Buffer, but characters for a string
      const bytes = Buffer.from(chunk)
      // the generator would hold the text while it waits for the client
      chunk = ''
      yield bytes
      // Node accepts one connection per turn, so long turns would make others wait
      await nextExclusiveTurn()
    }
  yield Buffer.from(`${chunk}]}`)
}

/** Streams the array as the body of the response. `Readable.from` would buffer one chunk more for each client. */
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

/** An upper bound of the bytes of the texts in a chunk. */
export const chunkBytes = 2 * chunkLength

/** Responds with `prefix`, the items and `]}`. A short list is a string. A long list is a stream within the limit. */
export const jsonArrayResponse = <A>(
  longResponses: LongResponses,
  prefix: string,
  items: readonly A[],
  jsonOf: (item: A) => string,
): HttpResponse => {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const text = jsonOf(item)
    length += text.length
    if (length > chunkLength) {
      const reservation = {}
      if (!longResponses.reserve(reservation, textBytes(items))) return problemResponse(tooManyLongResponses)
      const body = streamJsonArray(prefix, [items], jsonOf)
      markActiveOnResume(longResponses, reservation, body)
      finished(body, () => longResponses.release(reservation))
      return jsonResponse(body)
    }
    texts.push(text)
  }
  // `join` makes a flat text, which is faster to write than another concatenation
  return jsonResponse([prefix, texts.join(','), ']}'].join(''))
}

export const tooManyLongResponses = overloadProblem('MAX_UNSENT_MB', {
  detail:
    'Too many long responses are being sent. Try again, or read fewer items at a time, in pages with a smaller page_size.',
})

/** Returns an upper bound of the bytes that the texts of a value take in memory. */
export const textBytes = (value: unknown): number => {
  if (typeof value === 'string') return 2 * value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((bytes: number, item) => bytes + textBytes(item), 0)
}

import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Of characters. An answer that waits for its client keeps about two pieces in memory. */
export const pieceLength = 64 * 1024
/** A piece this short waits for the next item, however long that is. */
const shortLength = 4 * 1024

type InPieces<A> = Readonly<{
  /** The JSON before the first item, with the opening bracket. */
  before: string
  batches: AsyncIterable<readonly A[]> | readonly (readonly A[])[]
  jsonOf: (item: A) => string
  /** The JSON from the closing bracket on. */
  after: string
}>

/** A JSON array, one piece at a time: its items are made into JSON when the piece before has been taken. */
export async function* arrayInPieces<A>({ before, batches, jsonOf, after }: InPieces<A>): AsyncGenerator<string> {
  let piece = before
  let separator = ''
  for await (const items of batches)
    for (const item of items) {
      const json = separator + jsonOf(item)
      separator = ','
      if (piece.length > shortLength && piece.length + json.length > pieceLength) {
        yield piece
        piece = ''
        // back-pressure alone does not give other requests a turn
        await turnOfTheLoop()
      }
      piece += json
    }
  yield piece + after
}

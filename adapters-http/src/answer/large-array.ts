import { type Answer, ok } from './answer.js'
import { arrayInPieces, pieceLength } from './array-in-pieces.js'
import { ownTurn } from './turns.js'

/** The bytes of an item's JSON. Items are immutable, and a storage in memory returns the same ones again. */
const measured = new WeakMap<object, number>()

/** Whether so much was measured before. An item that was not counts as nothing. */
export const areLongerThan = (bytes: number, items: readonly object[]): boolean => {
  const [first] = items
  // most pages are short, and should cost no more than this
  if (first === undefined || !measured.has(first)) return false
  return items.reduce<number>((sum, item) => sum + (measured.get(item) ?? 0), 0) > bytes
}

/**
 * An answer with an array of items that is too long to be one text. Its length is measured first; the items are made into
 * JSON again, unless that is remembered, as they are sent.
 */
export const largeArray = async <A extends object>(
  before: string,
  items: readonly A[],
  jsonOf: (item: A) => string,
): Promise<Answer> => {
  const after = ']}'
  let bytes = Buffer.byteLength(before) + items.length - 1 + after.length
  let fresh = 0
  let nextTurn = pieceLength
  for (const item of items) {
    const known = measured.get(item)
    const itemBytes = known ?? Buffer.byteLength(jsonOf(item))
    bytes += itemBytes
    if (known !== undefined) continue
    measured.set(item, itemBytes)
    fresh += itemBytes
    if (fresh < nextTurn) continue
    nextTurn = fresh + pieceLength
    await ownTurn()
  }
  const pieces = () => arrayInPieces({ before, batches: once(items), jsonOf, after })
  // an item that was measured before belongs to the storage; a fresh one may be here for this answer only, with its JSON
  return ok({ pieces, close: async () => {}, bytes, kept: 2 * fresh })
}

async function* once<A>(items: A): AsyncGenerator<A> {
  yield items
}

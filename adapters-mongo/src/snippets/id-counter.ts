import { type Id, idFrom, maxId } from '@snippets/domain/id.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Collection, Document } from 'mongodb'
import type { SnippetDocument } from './snippet-document.js'

/** `last` is the largest id that was ever assigned. */
export type Counter = Readonly<{ _id: string; last: bigint }>

export type IdCounter = Readonly<{
  /** Takes the next ids, as many as wanted or as are left, for this process alone. */
  reserve: (count: number) => Promise<readonly Id[]>
  /** Moves the counter up to the largest id in use. It lags after restoring a backup of the other collection. */
  catchUp: () => Promise<void>
}>

export const counterName = 'snippets'

export const idCounter = (
  counters: Collection<Counter>,
  snippets: Collection<SnippetDocument>,
  firstId: bigint = 1n,
): IdCounter => {
  const beforeFirst = firstId - 1n
  const last = { $ifNull: [{ $toLong: '$last' }, beforeFirst] }
  let isCaughtUp = false

  const setLast = async (value: Document): Promise<bigint> => (await exchangeLast(counters, value)) ?? beforeFirst

  const catchUp = async (): Promise<void> => {
    await setLast({ $max: [last, (await largestId(snippets)) ?? beforeFirst] })
    isCaughtUp = true
  }

  const reserve = async (count: number): Promise<readonly Id[]> => {
    if (!isCaughtUp) await catchUp()
    // compares with what is left, because beyond 2^63 - 1 the sum would not be an integer any more
    const taken = { $min: [BigInt(count), { $subtract: [maxId, last] }] }
    return idsAfter(await setLast({ $add: [last, taken] }), count)
  }

  return { reserve, catchUp }
}

/** Sets `last` in one atomic step, and returns its value from before. */
const exchangeLast = async (counters: Collection<Counter>, value: Document): Promise<bigint | undefined> => {
  const update = [{ $set: { last: value } }]
  const options = { upsert: true, returnDocument: 'before' } as const
  const last = (await counters.findOneAndUpdate({ _id: counterName }, update, options))?.last ?? undefined
  return last === undefined ? undefined : BigInt(last)
}

/** Compares with numbers only: an `_id` of another type sorts after them. */
const largestId = async (snippets: Collection<SnippetDocument>): Promise<bigint | undefined> => {
  const [largest] = await snippets.find({ _id: { $lte: maxId } }, { sort: { _id: -1 }, limit: 1 }).toArray()
  return largest?._id
}

const idsAfter = (last: bigint, count: number): readonly Id[] =>
  Array.from({ length: count }, (_, i) => idFrom(last + 1n + BigInt(i))).flatMap(id => (O.isSome(id) ? [id.value] : []))

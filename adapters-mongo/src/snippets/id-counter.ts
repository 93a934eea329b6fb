import { type Id, idFrom, maxId } from '@snippets/domain/id.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { Collection, Document } from 'mongodb'
import type { SnippetDocument } from './documents.js'

/** `last` is the largest id that was ever handed out. */
export type Counter = Readonly<{ _id: string; last: bigint }>

export type Ids = Readonly<{
  /** Takes the next ids, as many as asked for or as there still are, from every process on this database. */
  reserve: (count: number) => Promise<readonly Id[]>
  /** Moves the counter up to the largest id in use; it lies behind when a backup was restored around it. */
  catchUp: () => Promise<void>
}>

const counterName = 'snippets'

export const idsOf = (
  counters: Collection<Counter>,
  snippets: Collection<SnippetDocument>,
  firstId: bigint = 1n,
): Ids => {
  const before = firstId - 1n
  const last = { $ifNull: [{ $toLong: '$last' }, before] }
  let isCaughtUp = false

  const advance = async (to: Document): Promise<bigint> => {
    const counter = await counters.findOneAndUpdate({ _id: counterName }, [{ $set: { last: to } }], {
      upsert: true,
      returnDocument: 'before',
    })
    return BigInt(counter?.last ?? before)
  }

  const catchUp = async (): Promise<void> => {
    // compares with numbers only, as other types of `_id` sort behind them
    const [largest] = await snippets.find({ _id: { $lte: maxId } }, { sort: { _id: -1 }, limit: 1 }).toArray()
    await advance({ $max: [last, largest?._id ?? before] })
    isCaughtUp = true
  }

  const reserve = async (count: number): Promise<readonly Id[]> => {
    if (!isCaughtUp) await catchUp()
    // what is left is subtracted, not the sum compared: past 2^63 - 1 the sum would be no integer any more
    const taken = { $min: [BigInt(count), { $subtract: [maxId, last] }] }
    const reserved = await advance({ $add: [last, taken] })
    return Array.from({ length: count }, (_, i) => idFrom(reserved + 1n + BigInt(i))).flatMap(id =>
      isSome(id) ? [id.value] : [],
    )
  }

  return { reserve, catchUp }
}

import type { LastIds } from '@snippets/domain/ports/row-store.js'
import { type Id, makeId, maxId } from '@snippets/domain/values/id.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Collection, Db, Document } from 'mongodb'
import { bigintOf, type Int64 } from '../collections/int64.js'
import { lookupMs } from '../collections/reads.js'
import { type SnippetDocument, snippetsIn } from './snippet-document.js'

/** The document of the id counter. `last` is the largest id that was ever assigned. */
type CounterDocument = Readonly<{ _id: string; last: Int64 }>

export const countersIn = (db: Db): Collection<CounterDocument> => db.collection('counters')

export type IdCounter = ReturnType<typeof createIdCounter>

const counterName = 'snippets'

/** Selects the ids that an int64 can equal. An operator may have stored them with another numeric type. */
const idsInUse = {
  _id: { $gte: 1n, $lte: maxId },
  // excludes fractions
  $expr: { $eq: ['$_id', { $convert: { input: '$_id', to: 'long', onError: null } }] },
} as const

const largestAsLong = {
  sort: { _id: -1 },
  limit: 1,
  projection: { _id: 0, id: { $toLong: '$_id' } },
  // includes rows that a majority has not confirmed
  readConcern: { level: 'local' },
} as const

export const createIdCounter = (counters: Collection<CounterDocument>, snippets: Collection<SnippetDocument>) => {
  // an operator may have stored a number of another type
  const last = { $toLong: { $ifNull: ['$last', 0n] } }
  let isCaughtUp = false

  /** Sets `last` in one atomic step and returns the previous value. */
  const exchangeLast = async (value: Document): Promise<bigint> => {
    const update = [{ $set: { last: value } }]
    const options = { upsert: true, returnDocument: 'before' } as const
    const before = await counters.findOneAndUpdate({ _id: counterName }, update, options)
    return bigintOf(before?.last ?? 0n)
  }
  const largestInUse = async (): Promise<bigint> =>
    bigintOf((await snippets.find<{ id: Int64 }>(idsInUse, largestAsLong).toArray())[0]?.id ?? 0n)
  /** Raises the counter to this id at least. */
  const raise = async (id: bigint): Promise<void> => {
    await exchangeLast({ $max: [last, id] })
  }
  /** Raises the counter to the largest id in use, because a restored counter may be older than the collection. */
  const catchUp = async (signal: AbortSignal): Promise<void> => {
    const id = await largestInUse()
    signal.throwIfAborted()
    await raise(id)
    isCaughtUp = true
  }
  /** Reserves the next ids for this process. Returns fewer than `count` ids if `maxId` is reached. */
  const reserve = async (count: number, signal: AbortSignal): Promise<readonly Id[]> => {
    // a restored counter could assign the id of a deleted snippet again
    if (!isCaughtUp) await catchUp(signal)
    signal.throwIfAborted()
    // limits the step, because a sum above 2^63 - 1 would not be an integer
    const taken = { $min: [BigInt(count), { $subtract: [maxId, last] }] }
    const before = await exchangeLast({ $add: [last, taken] })
    return RA.filterMap(makeId)(Array.from({ length: count }, (_, i) => before + 1n + BigInt(i)))
  }
  /** Reads the largest id that was ever assigned, from a majority. */
  const lastAssigned = async (): Promise<bigint> =>
    bigintOf((await counters.findOne({ _id: counterName }, { maxTimeMS: lookupMs }))?.last ?? 0n)
  /** Returns the largest id that was ever assigned, also if a restored counter is older than the collection. */
  const lastId = async (): Promise<bigint> => {
    const [counted, inUse] = [await lastAssigned(), await largestInUse()]
    return counted > inUse ? counted : inUse
  }
  return { reserve, catchUp, raise, lastAssigned, lastId }
}

/** Returns a counter for each kind of row whose ids the service assigns. */
export const idCountersIn = (db: Db) =>
  ({ snippet: createIdCounter(countersIn(db), snippetsIn(db)) }) satisfies Record<keyof LastIds, IdCounter>

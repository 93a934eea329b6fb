import { type Id, makeId, maxId } from '@snippets/domain/values/id.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Collection, Db, Document } from 'mongodb'
import { lookupMs } from '../collections/time-limits.js'
import type { SnippetDocument } from './snippet-document.js'

/** The document of the id counter. `last` is the largest id that was ever assigned. */
type CounterDocument = Readonly<{ _id: string; last: bigint }>

export const countersIn = (db: Db): Collection<CounterDocument> => db.collection('counters')

export type IdCounter = ReturnType<typeof idCounter>

const counterName = 'snippets'

export const idCounter = (
  counters: Collection<CounterDocument>,
  snippets: Collection<SnippetDocument>,
  firstId: bigint = 1n,
) => {
  const beforeFirst = firstId - 1n
  // an operator may have stored a number of another type, or no number
  const last = { $convert: { input: '$last', to: 'long', onError: beforeFirst, onNull: beforeFirst } }
  let isCaughtUp = false

  /** Sets `last` in one atomic step and returns the previous value. */
  const exchangeLast = async (value: Document): Promise<bigint> => {
    const update = [{ $set: { last: value } }]
    const options = { upsert: true, returnDocument: 'before' } as const
    const before = await counters.findOneAndUpdate({ _id: counterName }, update, options)
    return truncatedInteger(before?.last) ?? beforeFirst
  }
  /** Raises the counter to this id at least. */
  const raise = async (id: bigint): Promise<void> => {
    await exchangeLast({ $max: [last, id] })
  }
  /** Raises the counter to the largest id in use, because a restored counter may be older than the collection. */
  const catchUp = async (): Promise<void> => {
    await raise((await largestIdInUse(snippets)) ?? beforeFirst)
    isCaughtUp = true
  }
  /** Reserves the next ids for this process. Returns fewer than `count` ids if `maxId` is reached. */
  const reserve = async (count: number): Promise<readonly Id[]> => {
    if (!isCaughtUp) await catchUp()
    // limits the step, because a sum above 2^63 - 1 would not be an integer
    const taken = { $min: [BigInt(count), { $subtract: [maxId, last] }] }
    return idsAfter(await exchangeLast({ $add: [last, taken] }), count)
  }
  /** Returns the largest id that was ever assigned. */
  const lastId = async (): Promise<bigint> => {
    const counted = truncatedInteger((await counters.findOne({ _id: counterName }))?.last) ?? 0n
    const inUse = (await largestIdInUse(snippets)) ?? 0n
    return counted > inUse ? counted : inUse
  }
  /** Checks the database by a majority read. `ping` does not suffice, because mongos answers it by itself. */
  const check = async (): Promise<void> => {
    await counters.findOne({ _id: counterName }, { maxTimeMS: lookupMs })
  }
  return { reserve, catchUp, raise, lastId, check }
}

/** Reads rows that a majority has not confirmed, too. */
const largestFirst = { sort: { _id: -1 }, limit: 1, readConcern: { level: 'local' } } as const

/** Returns the largest numeric `_id`. `$lte` skips the types that sort after numbers. */
const largestIdInUse = async (snippets: Collection<SnippetDocument>): Promise<bigint | undefined> => {
  const [largest] = await snippets.find({ _id: { $lte: maxId } }, largestFirst).toArray()
  return truncatedInteger(largest?._id)
}

/** Truncates a number as the database does, because an operator may have stored a fraction. */
const truncatedInteger = (stored: unknown): bigint | undefined => {
  if (typeof stored === 'bigint') return stored
  return typeof stored === 'number' && Number.isFinite(stored) ? BigInt(Math.trunc(stored)) : undefined
}

const idsAfter = (last: bigint, count: number): readonly Id[] =>
  Array.from({ length: count }, (_, i) => makeId(last + 1n + BigInt(i))).flatMap(id => (O.isSome(id) ? [id.value] : []))

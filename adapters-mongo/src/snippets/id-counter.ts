import { type Id, makeId, maxId } from '@snippets/domain/values/id.js'
import { LoggableError } from '@snippets/remote-storage/redaction.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Collection, Db, Document, Long } from 'mongodb'
import { isAnsweredError } from '../connection/server-errors.js'
import { lookupMs } from '../connection/timeouts.js'
import { makeHarmlessJob, type SendWrite } from '../connection/writes.js'
import { snippetDocumentsIn } from './snippet-document.js'

/** The document of the id counter. `last` is the largest id that was ever assigned. */
type CounterDocument = Readonly<{ _id: string; last: Long }>

export const counterDocumentsIn = (db: Db): Collection<CounterDocument> => db.collection('counters')

export type IdCounter = ReturnType<typeof createIdCounter>

const counterName = 'snippets'

const malformedCounter = new LoggableError(
  'the id counter is malformed: set its `last`, in the collection `counters`, to the largest id that was ever assigned',
)

/** Selects the numbers from 1 to `maxId`. An operator may have stored them with another numeric type. */
const idsInUse = { _id: { $gte: 1n, $lte: maxId } } as const

const largestAsLong = {
  sort: { _id: -1 },
  // truncates a fraction, so the next id is still larger
  projection: { _id: 0, id: { $toLong: '$_id' } },
  // includes rows that a majority has not confirmed
  readConcern: { level: 'local' },
} as const

const storedLast = { $ifNull: ['$last', 0n] }
/** The number of the counter. An operator may have stored it with another numeric type. */
const last = { $toLong: storedLast }
const lastOrNull = { $convert: { input: storedLast, to: 'long', onError: null } }

/** Creates the counter that assigns the ids of snippets. */
export const createIdCounter = (db: Db, sendWrite: SendWrite) => {
  const [counterDocuments, snippetDocuments] = [counterDocumentsIn(db), snippetDocumentsIn(db)]
  let isCaughtUp = false

  /** Sets `last` in one atomic step and returns the previous value. */
  const exchangeLast = async (value: Document, signal: AbortSignal): Promise<bigint> => {
    const update = [{ $set: { last: value } }]
    const exchange = { upsert: true, returnDocument: 'before', projection: { last } } as const
    try {
      const before = await sendWrite(makeHarmlessJob(signal), options =>
        counterDocuments.findOneAndUpdate({ _id: counterName }, update, { ...exchange, ...options }),
      )
      return before?.last.toBigInt() ?? 0n
    } catch (error) {
      // throws `malformedCounter` if that is the cause
      if (isAnsweredError(error)) await readCounter()
      throw error
    }
  }
  const largestInUse = async (): Promise<bigint> =>
    (await snippetDocuments.findOne<{ id: Long }>(idsInUse, largestAsLong))?.id.toBigInt() ?? 0n
  /** Reads the counter from a majority. */
  const readCounter = async (): Promise<bigint> => {
    const options = { projection: { last: lastOrNull }, maxTimeMS: lookupMs }
    const found = await counterDocuments.findOne<{ last: Long | null }>({ _id: counterName }, options)
    if (found?.last === null) throw malformedCounter
    return found?.last.toBigInt() ?? 0n
  }
  /** Returns the largest id that was ever assigned, even if a restored counter is older than the collection. */
  const lastId = async (): Promise<bigint> => {
    const [counted, inUse] = [await readCounter(), await largestInUse()]
    return counted > inUse ? counted : inUse
  }
  /** Raises the counter to this id at least. */
  const raise = (id: bigint, signal: AbortSignal): Promise<unknown> => exchangeLast({ $max: [last, id] }, signal)
  /** Raises the counter to the largest id in use, because a restored counter may be older than the collection. */
  const catchUp = async (signal: AbortSignal): Promise<void> => {
    await raise(await largestInUse(), signal)
    isCaughtUp = true
  }
  /** Reserves the next ids for this process. Returns fewer than `count` ids if `maxId` is reached. */
  const reserve = async (count: number, signal: AbortSignal): Promise<readonly Id[]> => {
    // a restored counter could assign the id of a deleted snippet again
    if (!isCaughtUp) await catchUp(signal)
    // limits the step, because a sum above 2^63 - 1 would not be an integer
    const taken = { $min: [BigInt(count), { $subtract: [maxId, last] }] }
    const before = await exchangeLast({ $add: [last, taken] }, signal)
    return RA.filterMap(makeId)(Array.from({ length: count }, (_, i) => before + 1n + BigInt(i)))
  }
  return { reserve, catchUp, raise, readCounter, lastId }
}

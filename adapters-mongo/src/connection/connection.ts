import { type Db, MongoClient, ReadPreference } from 'mongodb'
import { watchHeartbeats } from './heartbeat-watch.js'
import { keepCountersLong } from './topology-version.js'

export type Connection = Readonly<{
  client: MongoClient
  db: Db
  /** Does nothing when there is, or was, a connection: the driver restores it by itself. */
  connect: () => Promise<unknown>
  close: () => Promise<void>
}>

/**
 * The driver's own limits, so that it gives up soon and frees its connections. They do not bound a whole operation, whose
 * parts add up; `in-time.ts` does. Options in the URL take precedence.
 */
const limits = {
  serverSelectionTimeoutMS: 1000,
  connectTimeoutMS: 1000,
  socketTimeoutMS: 1500,
  waitQueueTimeoutMS: 500,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 20,
}

const isNamedIn = (url: string, option: string): boolean => new RegExp(`[?&]${option}=`, 'i').test(url)

const namesDatabase = (url: string): boolean => /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(url)

/**
 * Sends nothing yet. Operations must wait until `connect` has succeeded once: the driver would connect by itself, but when
 * that fails it never tries again.
 */
export const connectionTo = (url: string): Connection => {
  const client = new MongoClient(url, {
    ...Object.fromEntries(Object.entries(limits).filter(([option]) => !isNamedIn(url, option))),
    readPreference: ReadPreference.primary,
    writeConcern: { w: 'majority' },
    // reads an int64 as a bigint; the driver's default rounds it beyond 2^53
    useBigInt64: true,
  })
  keepCountersLong(client)
  let isClosed = false
  // the next operation connects anew
  watchHeartbeats(client, () => isClosed || void client.close().catch(() => undefined))
  return {
    client,
    db: client.db(namesDatabase(url) ? undefined : 'snippets'),
    // `client.connect` would reopen a closed client
    connect: async () => isClosed || client.connect(),
    close: () => {
      isClosed = true
      return client.close()
    },
  }
}

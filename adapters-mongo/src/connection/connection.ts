import { type Db, MongoClient, ReadPreference } from 'mongodb'
import type { Log } from '../log.js'
import { watchHeartbeats } from './heartbeat-watch.js'
import { storageClosed } from './in-time.js'
import { keepCountersLong } from './topology-version.js'

export type Connection = Readonly<{
  client: MongoClient
  db: Db
  /** The most operations that can be on their way at a time. */
  size: number
  /** Does nothing when there is, or was, a connection: the driver restores it by itself. */
  connect: () => Promise<unknown>
  close: () => Promise<void>
}>

/**
 * The driver's own limits, so that it gives up soon and frees its connections. They do not bound a whole operation, whose
 * parts add up; `in-time.ts` does. Options in the URL take precedence.
 */
const limits = {
  // shorter than an operation's time, so that the cause of its failure is known
  serverSelectionTimeoutMS: 1600,
  // longer than `maxTimeMS`, so that the database gives up first and the driver does not send a read again
  socketTimeoutMS: 1700,
  // bounds TCP, TLS and the first command together: 900 ms when the database is 300 ms away
  connectTimeoutMS: 1600,
  // `connect` opens a connection within it, which takes 2 s when it is 300 ms away. Operations wait for their turn elsewhere
  waitQueueTimeoutMS: 5000,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 50,
  // for each member of the set, so that the next primary has some open
  minPoolSize: 5,
  maxConnecting: 10,
}

/** How many operations to have on their way where the URL gives the pool no limit. */
const sizeIfUnlimited = 100

const isNamedIn = (url: string, option: string): boolean => new RegExp(`[?&]${option}=`, 'i').test(url)

const namesDatabase = (url: string): boolean => /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(url)

/**
 * Sends nothing yet. Operations must wait until `connect` has succeeded once: the driver would connect by itself, but when
 * that fails it never tries again.
 */
export const connectionTo = (url: string, log: Log): Connection => {
  const client = new MongoClient(url, {
    ...Object.fromEntries(Object.entries(limits).filter(([option]) => !isNamedIn(url, option))),
    readPreference: ReadPreference.primary,
    writeConcern: { w: 'majority' },
    // reads an int64 as a bigint; the driver's default rounds it beyond 2^53
    useBigInt64: true,
  })
  keepCountersLong(client)
  let isClosed = false
  const { connectOnce, disconnected } = rememberingConnect(client)
  watchHeartbeats(client, () => {
    if (isClosed) return
    log.warn({}, 'the driver no longer looks for the database; connecting anew')
    // until the close has ended operations may find the old connection; later ones connect anew
    disconnected()
    client.close().then(disconnected, disconnected)
  })
  return {
    client,
    db: client.db(namesDatabase(url) ? undefined : 'snippets'),
    size: client.options.maxPoolSize || sizeIfUnlimited,
    // connecting would reopen a closed client
    connect: () => (isClosed ? Promise.reject(storageClosed) : connectOnce()),
    close: () => {
      isClosed = true
      return client.close()
    },
  }
}

const rememberingConnect = (client: MongoClient) => {
  let connected: Promise<unknown> | undefined
  const disconnected = (): void => {
    connected = undefined
  }
  const connectOnce = (): Promise<unknown> => {
    connected ??= client.connect().catch(error => {
      disconnected()
      throw error
    })
    return connected
  }
  return { connectOnce, disconnected }
}

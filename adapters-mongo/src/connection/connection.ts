import type { Log } from '@snippets/application/remote-storage/log.js'
import { storageClosed } from '@snippets/application/remote-storage/outage-log.js'
import { OwnError } from '@snippets/application/remote-storage/safe-error.js'
import { type Db, MongoClient, type MongoClientOptions, ReadPreference } from 'mongodb'
import { watchHeartbeats } from './heartbeat-watch.js'
import { keepCountersLong } from './topology-version.js'

/**
 * The driver's own limits, so that it gives up soon and frees its connections. They do not bound a whole operation, whose
 * parts add up; `operation.ts` does. Options in the URL take precedence.
 */
const limits: MongoClientOptions = {
  // shorter than an operation's time, so that the cause of its failure is known
  serverSelectionTimeoutMS: 1500,
  // longer than an operation's time: a connection whose peer is gone
  socketTimeoutMS: 1700,
  // bounds TCP, TLS and the first command together, which take three round trips and more
  connectTimeoutMS: 1600,
  // `connect` opens a connection within it, which takes 2 s when the database is 300 ms away
  waitQueueTimeoutMS: 3000,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 50,
  maxConnecting: 10,
}

/** Connections to each member of the set, so that the next primary has some open. The driver works with no more than fit the pool. */
const minPoolSizeIn = (url: string): number => Math.min(5, Number(/[?&]maxPoolSize=(\d+)/i.exec(url)?.[1] ?? 5))

/** For one operation that may take hours. */
export const patience = { socketTimeoutMS: 0, maxPoolSize: 1, minPoolSize: 0 }

const isNamedIn = (url: string, option: string): boolean => new RegExp(`[?&]${option}=`, 'i').test(url)

const namesDatabase = (url: string): boolean => /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(url)

/** Sends nothing yet. Throws when options in the URL contradict each other. The other options take precedence over the URL. */
export const clientFor = (url: string, options: MongoClientOptions = {}): Readonly<{ client: MongoClient; db: Db }> => {
  const unnamed = Object.entries({ ...limits, minPoolSize: minPoolSizeIn(url) }).filter(
    ([option]) => !isNamedIn(url, option),
  )
  const client = new MongoClient(url, {
    ...Object.fromEntries(unnamed),
    ...options,
    readPreference: ReadPreference.primary,
    writeConcern: { w: 'majority' },
    // reads an int64 as a bigint; the driver's default rounds it beyond 2^53
    useBigInt64: true,
    monitorCommands: true,
  })
  const { minPoolSize, maxPoolSize } = client.options
  if (minPoolSize > maxPoolSize)
    throw new OwnError(`minPoolSize (${minPoolSize}) must not be greater than maxPoolSize (${maxPoolSize})`)
  keepCountersLong(client)
  return { client, db: client.db(namesDatabase(url) ? undefined : 'snippets') }
}

/**
 * Operations must wait until `connect` has succeeded once: the driver would connect by itself, but when that fails it
 * never tries again.
 */
export const connectionTo = (url: string, log: Log) => {
  const { client, db } = clientFor(url)
  let isClosed = false
  let connected: Promise<unknown> | undefined
  let patient: MongoClient | undefined
  const disconnected = (): void => {
    connected = undefined
  }
  watchHeartbeats(client, () => {
    if (isClosed) return
    log.warn({}, 'the driver no longer looks for the database; connecting anew')
    // until the close has ended operations may find the old connection; later ones connect anew
    disconnected()
    client.close().then(disconnected, disconnected)
  })
  /** Does nothing when there is, or was, a connection: the driver restores it by itself. */
  const connect = (): Promise<unknown> => {
    // connecting would reopen a closed client
    if (isClosed) return Promise.reject(storageClosed)
    connected ??= client.connect().catch(error => {
      disconnected()
      throw error
    })
    return connected
  }
  return {
    client,
    db,
    /** The most operations that can be on their way at a time; the URL may give the pool no limit. */
    size: client.options.maxPoolSize || 100,
    connect,
    /** Does work that may take hours, on a connection of its own. A close fails it; the database may go on with it. */
    patiently: async <A>(work: (db: Db) => Promise<A>): Promise<A> => {
      await connect()
      const own = clientFor(url, patience)
      patient = own.client
      return work(own.db).finally(() => own.client.close())
    },
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all([client.close(), patient?.close()])
    },
  }
}

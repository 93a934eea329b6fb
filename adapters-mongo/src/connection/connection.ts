import type { Log } from '@snippets/application/remote-storage/log.js'
import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { storageClosed } from '@snippets/application/remote-storage/outage-log.js'
import { type Db, MongoClient, type MongoClientOptions, ReadPreference } from 'mongodb'
import { watchHeartbeats } from './heartbeat-watch.js'
import { keepCountersLong } from './topology-version.js'

/**
 * The driver's own limits, so that it gives up soon and frees its connections. They bound the parts of an operation; the
 * deadline of the storage bounds the whole. Options in the URL take precedence.
 */
const driverDefaults: MongoClientOptions = {
  // shorter than an operation's time, so that the cause of its failure is known
  serverSelectionTimeoutMS: 1500,
  // longer than an operation's time: closes connections whose peer is gone
  socketTimeoutMS: 1700,
  // bounds TCP, TLS and the first command together, which take three round trips and more
  connectTimeoutMS: 1600,
  // includes opening a connection, which takes 2 s when the database is 300 ms away
  waitQueueTimeoutMS: 3000,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 50,
  maxConnecting: 10,
}

/** Open connections to each member of the set, for a failover. A number above `maxPoolSize` fails every operation. */
const minPoolSizeIn = (url: string): number => Math.min(5, Number(/[?&]maxPoolSize=(\d+)/i.exec(url)?.[1] ?? 5))

/** Options for one operation that may take hours. */
export const longWorkOptions = { socketTimeoutMS: 0, maxPoolSize: 1, minPoolSize: 0 }

const isNamedIn = (url: string, option: string): boolean => new RegExp(`[?&]${option}=`, 'i').test(url)

const namesDatabase = (url: string): boolean => /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(url)

/** Makes a client, which sends nothing yet. `options` take precedence over the URL. Throws if options contradict each other. */
export const clientFor = (url: string, options: MongoClientOptions = {}): Readonly<{ client: MongoClient; db: Db }> => {
  const unnamed = Object.entries({ ...driverDefaults, minPoolSize: minPoolSizeIn(url) }).filter(
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
    throw new LoggableError(`minPoolSize (${minPoolSize}) must not be greater than maxPoolSize (${maxPoolSize})`)
  keepCountersLong(client)
  return { client, db: client.db(namesDatabase(url) ? undefined : 'snippets') }
}

/**
 * Operations must wait until `connect` has succeeded once: the driver would connect by itself, but never again after a
 * first failure.
 */
export const connectionTo = (url: string, log: Log) => {
  const { client, db } = clientFor(url)
  let isClosed = false
  let connected: Promise<unknown> | undefined
  let ownClient: MongoClient | undefined
  const disconnected = (): void => {
    connected = undefined
  }
  watchHeartbeats(client, () => {
    if (isClosed) return
    log.warn({}, 'the driver no longer looks for the database; connecting again')
    // operations may use the old connection until it is closed; later ones connect again
    disconnected()
    client.close().then(disconnected, disconnected)
  })
  /** Connects once. Later the driver restores the connection by itself. */
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
    /** The most operations in flight. The URL may give the pool no limit. */
    size: client.options.maxPoolSize || 100,
    connect,
    /** Runs work that may take hours on a connection of its own. `close` ends the connection; the database may continue. */
    onOwnConnection: async <A>(work: (db: Db) => Promise<A>): Promise<A> => {
      await connect()
      const own = clientFor(url, longWorkOptions)
      ownClient = own.client
      return work(own.db).finally(() => own.client.close())
    },
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all([client.close(), ownClient?.close()])
    },
  }
}

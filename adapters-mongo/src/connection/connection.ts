import { LoggableError } from '@snippets/remote-storage/redaction.js'
import { MongoClient, type MongoClientOptions, ReadConcern, ReadPreference } from 'mongodb'
import { driverTimeouts, writeMs } from './timeouts.js'

/** The options of the driver unless the URL sets them. */
const defaults: MongoClientOptions = {
  // names the service in the logs of the server
  appName: 'snippets',
  ...driverTimeouts,
  heartbeatFrequencyMS: 1000,
  maxPoolSize: 50,
  maxConnecting: 10,
}

/** The options of the driver that replace options of the URL. */
const fixed: MongoClientOptions = {
  // a value above `maxPoolSize` would fail every operation
  minPoolSize: 0,
  // `connect` also selects a server by this preference
  readPreference: ReadPreference.primary,
  // Reads int64 as Long. Numbers would be rounded, and with bigints the driver throws an uncaught error in an election.
  promoteLongs: false,
  useBigInt64: false,
  monitorCommands: true,
  // a retry would send reads whose callers already have an answer
  maxAdaptiveRetries: 0,
}

/** Options that change all replies, or that hold a connection for each list that a client reads. */
const rejectedOptions = ['raw', 'promoteValues', 'loadBalanced']

const isSetIn = (url: string, option: string): boolean => new RegExp(`[?&]${option}=`, 'i').test(url)

const namesDatabase = (url: string): boolean => /:\/\/[^/?]+\/[^?]/.test(url)

/** Creates an unconnected client. `options` override the URL. Throws if an option of the URL cannot be used. */
export const createClient = (url: string, options: MongoClientOptions = {}, wtimeoutMS?: number) => {
  const rejected = rejectedOptions.filter(option => isSetIn(url, option))
  if (rejected.length > 0) throw new LoggableError(`it must not set ${rejected.join(', ')}`)
  const unset = Object.entries(defaults).filter(([option]) => !isSetIn(url, option))
  const client = new MongoClient(url, { ...Object.fromEntries(unset), ...options, ...fixed })
  // replaces options of the URL that weaken reads and writes, `journal` and `readConcernLevel` included
  const db = client.db(namesDatabase(url) ? undefined : 'snippets', {
    readPreference: ReadPreference.primary,
    // a weaker read could show a write that an election rolls back
    readConcern: new ReadConcern('majority'),
    writeConcern: { w: 'majority', ...(wtimeoutMS !== undefined && { wtimeoutMS }) },
  })
  return { client, db }
}

/**
 * Creates the client of a storage, without connecting. Operations must wait until `connect` has succeeded: after a
 * failed implicit connect the driver does not try again.
 */
export const createConnection = (url: string) => {
  const { client, db } = createClient(url, {}, writeMs)
  const maxInFlight = client.options.maxPoolSize || 100
  let [isClosed, isSharded, isSecondary] = [false, false, false]
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    const servers = [...newDescription.servers.values()]
    const types = servers.map(({ type }) => type)
    // The driver looks only for the servers that the set has named last, and forgets those of the URL. It also removes
    // a member that restarts outside of its set. After a close, `connect` begins with the servers of the URL.
    const urlAddresses = client.options.hosts.map(String)
    const isLost = servers.every(({ address, error }) => error !== null && !urlAddresses.includes(address))
    if (isLost && !isClosed) void client.close().catch(() => {})
    isSharded = types.includes('Mongos')
    // with `directConnection=true`, the driver reads from any member
    isSecondary = newDescription.type === 'Single' && types.some(type => /^RS(?!Primary)/.test(type))
  })
  return {
    client,
    db,
    /** The limit of operations in flight: `maxPoolSize`, or a default if the URL sets it to 0, which means no limit. */
    maxInFlight,
    /** Tells whether the server is a mongos. */
    isSharded: () => isSharded,
    /** Connects unless the client is connected. */
    connect: async (): Promise<void> => {
      // connecting would reopen a closed client
      if (!isClosed) await client.connect()
      if (isClosed) {
        // the storage closed while the driver looked up the servers: closes what it opened
        await client.close()
        throw new LoggableError('not sent: the storage is closed')
      }
      if (isSecondary) throw new LoggableError('not sent: the member that directConnection names is not the primary')
    },
    close: async (): Promise<void> => {
      isClosed = true
      await client.close()
    },
  }
}

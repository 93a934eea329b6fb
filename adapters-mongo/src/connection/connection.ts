import { type Db, MongoClient, ReadPreference } from 'mongodb'

export type Connection = Readonly<{
  client: MongoClient
  db: Db
  /** Does nothing where there is a connection, or was one: the driver restores it by itself. */
  connect: () => Promise<unknown>
  close: () => Promise<void>
}>

/**
 * The driver's own limits, so that it gives up soon and its connections are free again. They do not bound a whole
 * operation, whose parts add up; `attempt.ts` does. A URL that names one of them has its way.
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
 * Nothing is sent yet. An operation before the first success of `connect` must wait for it: the driver would connect by
 * itself, but once that has failed it never tries again.
 */
export const connectionTo = (url: string): Connection => {
  const client = new MongoClient(url, {
    ...Object.fromEntries(Object.entries(limits).filter(([option]) => !isNamedIn(url, option))),
    readPreference: ReadPreference.primary,
    writeConcern: { w: 'majority' },
    // an int64 is read as a bigint; the driver's default rounds it past 2^53
    useBigInt64: true,
  })
  let isClosed = false
  watchHeartbeats(client, () => isClosed || void client.close().catch(() => undefined))
  return {
    client,
    db: client.db(namesDatabase(url) ? undefined : 'snippets'),
    // a closed client would connect anew
    connect: async () => isClosed || client.connect(),
    close: () => {
      isClosed = true
      return client.close()
    },
  }
}

/**
 * A heartbeat that meets its connection's end at the wrong moment never ends itself, in 7.8.0, and the driver then looks for
 * its server no more. Past the time that any heartbeat may take, the client is to be closed: the next `connect` opens it anew.
 */
const watchHeartbeats = (client: MongoClient, onStuck: () => void): void => {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options
  const pending = new Map<string, NodeJS.Timeout>()
  const settle = (address: string): void => {
    clearTimeout(pending.get(address))
    pending.delete(address)
  }
  const settled = ({ connectionId }: Readonly<{ connectionId: string }>): void => settle(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    settle(connectionId)
    const longest = connectTimeoutMS + (awaited ? heartbeatFrequencyMS : 0) + 100
    pending.set(connectionId, setTimeout(onStuck, longest).unref())
  })
  client.on('serverHeartbeatSucceeded', settled).on('serverHeartbeatFailed', settled)
  client.on('serverClosed', ({ address }) => settle(address))
}

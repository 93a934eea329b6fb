import type { ConnectionCheckedInEvent, ConnectionCheckedOutEvent, MongoClient } from 'mongodb'

/** A TXT record of an SRV address may make the server a `LoadBalancer`, although the URL must not. */
const writable: ReadonlySet<string> = new Set(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'])

/**
 * Calls `onLost` after this time without a writable server. In mongodb 7.9.0 a heartbeat that writes to a destroyed
 * socket never ends: it waits for a `drain` event (`writeCommand` in src/cmap/connection.ts;
 * https://jira.mongodb.org/browse/NODE-6370 is about the same wait). The driver then stops monitoring that server until
 * the client is closed and reconnected. In an outage of the database a reconnection changes nothing.
 */
export const watchWritable = (client: Pick<MongoClient, 'on'>, maxMs: number, onLost: () => void): void => {
  let timer: NodeJS.Timeout | undefined
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    if ([...newDescription.servers.values()].some(({ type }) => writable.has(type))) {
      clearTimeout(timer)
      timer = undefined
      return
    }
    timer ??= setTimeout(() => {
      timer = undefined
      onLost()
    }, maxMs).unref()
  })
}

/**
 * Calls `onLost` when half of the pool is lost. In mongodb 7.9.0 a command that waits for a `drain` event of its socket
 * never ends if the socket times out (`cleanup` and `writeCommand` in src/cmap/connection.ts), so its connection never
 * returns to the pool. A connection is lost if it is checked out for a second longer than its socket may be idle.
 */
export const watchPool = (client: MongoClient, maxInFlight: number, onLost: () => void): void => {
  const { socketTimeoutMS } = client.options
  if (socketTimeoutMS === 0) return
  const checkedOutAt = new Map<string, number>()
  client.on('connectionCheckedOut', connection => checkedOutAt.set(keyOf(connection), performance.now()))
  client.on('connectionCheckedIn', connection => checkedOutAt.delete(keyOf(connection)))
  client.on('connectionCheckOutStarted', () => {
    const lostBefore = performance.now() - socketTimeoutMS - 1000
    const lost = [...checkedOutAt.values()].filter(time => time < lostBefore)
    if (lost.length < maxInFlight / 2) return
    checkedOutAt.clear()
    onLost()
  })
}

const keyOf = ({ address, connectionId }: ConnectionCheckedOutEvent | ConnectionCheckedInEvent): string =>
  `${address} ${connectionId}`

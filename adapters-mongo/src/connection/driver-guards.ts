import { Long, type MongoClient, type ServerDescriptionChangedEvent } from 'mongodb'

/**
 * Converts a bigint `topologyVersion.counter` to Long, so that an election does not end the process. With `useBigInt64`
 * the driver reads the counter in the error of a former primary as a bigint. Its next heartbeat then throws, outside of
 * any promise (`makeTopologyVersion` in src/sdam/monitor.ts of mongodb 7.9.0; NODE-6165 was the same bug in another
 * function).
 */
export const convertTopologyCounters = (client: Pick<MongoClient, 'on'>): void => {
  client.on('serverDescriptionChanged', ({ newDescription: { topologyVersion } }: ServerDescriptionChangedEvent) => {
    const counter: unknown = topologyVersion?.counter
    if (topologyVersion && typeof counter === 'bigint') topologyVersion.counter = Long.fromBigInt(counter)
  })
}

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
    const isWritable = [...newDescription.servers.values()].some(({ type }) => writable.has(type))
    if (isWritable) clearTimeout(timer)
    if (isWritable) timer = undefined
    else
      timer ??= setTimeout(() => {
        timer = undefined
        onLost()
      }, maxMs).unref()
  })
}

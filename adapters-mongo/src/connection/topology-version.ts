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

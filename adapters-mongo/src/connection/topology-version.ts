import { Long, type MongoClient, type ServerDescriptionChangedEvent } from 'mongodb'

/**
 * Converts a bigint `topologyVersion.counter` to Long, so that an election does not end the process. With `useBigInt64` the
 * driver reads the `topologyVersion.counter` of a former primary's error as a bigint, and its next heartbeat throws on it,
 * outside of any promise (`makeTopologyVersion` in src/sdam/monitor.ts of mongodb 7.9.0; NODE-6165 was the same in another
 * function).
 */
export const convertTopologyCounters = (client: Pick<MongoClient, 'on'>): void => {
  client.on('serverDescriptionChanged', ({ newDescription: { topologyVersion } }: ServerDescriptionChangedEvent) => {
    const counter: unknown = topologyVersion?.counter
    if (topologyVersion && typeof counter === 'bigint') topologyVersion.counter = Long.fromBigInt(counter)
  })
}

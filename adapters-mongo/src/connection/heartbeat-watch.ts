import type { MongoClient } from 'mongodb'

/** The extra time of a heartbeat after its timeout. */
const toleranceMs = 100

const writable: ReadonlySet<string> = new Set(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'])

/**
 * Calls `onStuck` when a heartbeat is stuck. In mongodb 7.9.0 a heartbeat that writes to a destroyed socket never ends: it
 * waits for a `drain` event (`writeCommand` in src/cmap/connection.ts; https://jira.mongodb.org/browse/NODE-6370 is about
 * the same wait). The driver then never looks for that server again, unless the client is closed and connected again. That
 * fails operations in flight, so this function calls `onStuck` only while no server takes writes.
 */
export const watchHeartbeats = (client: Pick<MongoClient, 'on' | 'options'>, onStuck: () => void): void => {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options
  // without this limit a heartbeat may take forever
  if (connectTimeoutMS === 0) return
  const pending = new Map<string, NodeJS.Timeout>()
  const stuck = new Set<string>()
  let isWritable = false

  const judge = (): void => {
    if (isWritable || stuck.size === 0) return
    stuck.clear()
    // the driver must finish its own work first
    setImmediate(onStuck)
  }
  const settle = (address: string): void => {
    clearTimeout(pending.get(address))
    pending.delete(address)
    stuck.delete(address)
  }
  const after = (address: string, ms: number, andThen: () => void): void => {
    pending.set(address, setTimeout(andThen, ms).unref())
  }
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    settle(connectionId)
    const found = (): void => {
      stuck.add(connectionId)
      judge()
    }
    const maxMs = connectTimeoutMS + (awaited ? heartbeatFrequencyMS : 0) + toleranceMs
    // the extra time is granted twice, because timers run before replies are read after a pause of this process
    after(connectionId, maxMs, () => after(connectionId, toleranceMs, found))
  })
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => settle(connectionId))
  client.on('serverHeartbeatFailed', ({ connectionId }) => settle(connectionId))
  client.on('serverClosed', ({ address }) => settle(address))
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    isWritable = [...newDescription.servers.values()].some(({ type }) => writable.has(type))
    judge()
  })
}

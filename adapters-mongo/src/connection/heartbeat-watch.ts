import type { MongoClient } from 'mongodb'

/** The extra time of a heartbeat after the timeout of the driver. */
const toleranceMs = 100

const writable: ReadonlySet<string> = new Set(['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'])

/**
 * Calls `onStuck` when a heartbeat is stuck and no server is writable. In mongodb 7.9.0 a heartbeat that writes to a
 * destroyed socket never ends: it waits for a `drain` event (`writeCommand` in src/cmap/connection.ts;
 * https://jira.mongodb.org/browse/NODE-6370 is about the same wait). The driver then stops monitoring that server until
 * the client is closed and reconnected. Closing fails operations in flight, so it must wait while a server is writable.
 */
export const watchHeartbeats = (client: Pick<MongoClient, 'on' | 'options'>, onStuck: () => void): void => {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options
  // 0 means no timeout: a slow heartbeat looks like a stuck one
  if (connectTimeoutMS === 0) return
  const timers = new Map<string, NodeJS.Timeout>()
  const stuck = new Set<string>()
  /** Servers with a connection for heartbeats. A heartbeat without one connects first, within a timeout of its own. */
  const connected = new Set<string>()
  let isWritable = false

  const reportIfStuck = (): void => {
    if (isWritable || stuck.size === 0) return
    stuck.clear()
    // the driver emits these events in the middle of a topology change, which must end first
    setImmediate(onStuck)
  }
  const settle = (address: string): void => {
    clearTimeout(timers.get(address))
    timers.delete(address)
    stuck.delete(address)
  }
  const setTimer = (address: string, ms: number, andThen: () => void): void => {
    timers.set(address, setTimeout(andThen, ms).unref())
  }
  // the driver's `connectionId` is the address of the server
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    settle(connectionId)
    const markStuck = (): void => {
      stuck.add(connectionId)
      reportIfStuck()
    }
    const timeouts = connected.has(connectionId) ? 1 : 2
    const maxMs = timeouts * connectTimeoutMS + (awaited ? heartbeatFrequencyMS : 0) + toleranceMs
    // two timers in a row: after a pause of the process, Node runs expired timers before it reads replies
    setTimer(connectionId, maxMs, () => setTimer(connectionId, toleranceMs, markStuck))
  })
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => {
    settle(connectionId)
    connected.add(connectionId)
  })
  const disconnect = (address: string): void => {
    settle(address)
    connected.delete(address)
  }
  client.on('serverHeartbeatFailed', ({ connectionId }) => disconnect(connectionId))
  client.on('serverClosed', ({ address }) => disconnect(address))
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    isWritable = [...newDescription.servers.values()].some(({ type }) => writable.has(type))
    reportIfStuck()
  })
}

import type { MongoClient } from 'mongodb'

/** How late a heartbeat may end before it counts as stuck. */
const toleranceMs = 100

/**
 * Calls `onStuck` when a heartbeat has not ended in the time that any heartbeat may take. In mongodb 7.9.0 a heartbeat that
 * writes to a destroyed socket never ends: it waits for a `drain` event (`writeCommand` in src/cmap/connection.ts; NODE-6370
 * is about the same wait). The driver then never looks for that server again, unless the client is closed and connected
 * anew.
 */
export const watchHeartbeats = (client: Pick<MongoClient, 'on' | 'options'>, onStuck: () => void): void => {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options
  const pending = new Map<string, NodeJS.Timeout>()
  const settle = (address: string): void => {
    clearTimeout(pending.get(address))
    pending.delete(address)
  }
  const settled = ({ connectionId }: Readonly<{ connectionId: string }>): void => settle(connectionId)
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    settle(connectionId)
    const longest = connectTimeoutMS + (awaited ? heartbeatFrequencyMS : 0) + toleranceMs
    pending.set(connectionId, setTimeout(onStuck, longest).unref())
  })
  client.on('serverHeartbeatSucceeded', settled)
  client.on('serverHeartbeatFailed', settled)
  client.on('serverClosed', ({ address }) => settle(address))
}

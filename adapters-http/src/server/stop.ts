import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connections } from './connections.js'

/** The length of the kernel's queue of connections by default. */
const backlog = 511

/** Time after which a connection without a request in progress counts as silent. */
const silentMs = 500

/** The longest time for the accept queue, because turns of a busy event loop are long. */
const maxDrainMs = 250

/**
 * Waits until Node has accepted the connections in the kernel's queue: one per turn of the event loop. Waits at most
 * `graceMs`, and at most `maxDrainMs`.
 */
export const drainAcceptQueue = async (graceMs: number): Promise<void> => {
  const end = performance.now() + Math.min(maxDrainMs, graceMs)
  for (let turn = 0; turn < backlog && performance.now() < end; turn++) await nextTurn()
}

/** Stops accepting connections, waits up to `graceMs` for the open ones to close, then destroys the others. */
export const stop = async (server: Server, connections: Connections, graceMs: number): Promise<void> => {
  // `close` calls this method, and would cut off clients that still read a response
  server.closeIdleConnections = () => {}
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const deadline = setTimeout(() => connections.closeAll(), graceMs)
  connections.closeSilent()
  const checks = setInterval(() => connections.closeSilent(), silentMs)
  await closed
  clearTimeout(deadline)
  clearInterval(checks)
}

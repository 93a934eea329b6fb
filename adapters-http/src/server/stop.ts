import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Connections } from './connections.js'

/** How long a connection that is not being used is still left open, in case its next request is on the way. */
const unusedMs = 250

/** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys what is left. */
export const stop = async (server: Server, connections: Connections, graceMs: number): Promise<void> => {
  connections.drain()
  // http's own close would at once reset the connections that are between two requests
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await wait(Math.min(unusedMs, graceMs))
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    connections.closeUnused()
  }, 50)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

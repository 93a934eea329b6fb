import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as turnOfTheLoop, setTimeout as wait } from 'node:timers/promises'
import type { Connections } from './connections.js'

const sweepMs = 50
const quietMs = 20
const maxQuietings = 10

/** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys what is left. */
export const stop = async (server: Server, connections: Connections, graceMs: number): Promise<void> => {
  const cut = setTimeout(() => connections.destroyAll(), graceMs)
  const sweep = setInterval(() => connections.closeSilent(), sweepMs)
  const accepting = stopAccepting(server, connections, graceMs)
  connections.drain(accepting)
  await accepting
  await connections.allClosed()
  clearInterval(sweep)
  clearTimeout(cut)
}

/**
 * Closing a listening socket resets the connections that the kernel has accepted and the process has not. So it is closed
 * when no new connection has come for a moment, and right after the event loop has accepted what there was. Requests that
 * arrive meanwhile are held back, as an answer would make room for the client's next connection.
 */
const stopAccepting = async (server: Server, connections: Connections, graceMs: number): Promise<void> => {
  for (let i = 0, seen = -1; seen !== connections.accepted && i < maxQuietings; i++) {
    seen = connections.accepted
    await wait(Math.min(quietMs, graceMs))
  }
  await turnOfTheLoop()
  // not that of http, which at once resets the connections that are between two requests
  NetServer.prototype.close.call(server)
}

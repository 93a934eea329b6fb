import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The accept queue is empty when so many milliseconds, each a turn of the event loop, bring no connection. */
const quietMs = 10
const maxAcceptMs = 250

/** Lets Node accept the connections that the kernel has completed: it takes one per turn of the event loop. */
export const emptyAcceptQueue = async (server: Server, graceMs: number): Promise<void> => {
  const end = performance.now() + Math.min(maxAcceptMs, graceMs)
  let quiet = 0
  const restart = (): void => {
    quiet = 0
  }
  server.on('connection', restart)
  for (; quiet < quietMs && performance.now() < end; quiet++) await pause(1)
  server.off('connection', restart)
}

/** Accepts no new connection, waits up to `graceMs` for the open ones to close, then destroys the rest. */
export const stop = async (server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> => {
  // close() calls it, and for Node a connection is idle while its client has yet to read the end of a response
  server.closeIdleConnections = () => {}
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const cut = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, graceMs)
  await closed
  clearTimeout(cut)
}

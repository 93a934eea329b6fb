import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The accept queue counts as empty after this time without a new connection. */
const quietMs = 10
const maxAcceptMs = 250

/** Waits until Node has accepted the connections in the kernel's queue. Node accepts one per turn of the event loop. */
export const drainAcceptQueue = async (server: Server, graceMs: number): Promise<void> => {
  const end = performance.now() + Math.min(maxAcceptMs, graceMs)
  let quiet = 0
  const restart = (): void => {
    quiet = 0
  }
  server.on('connection', restart)
  for (; quiet < quietMs && performance.now() < end; quiet++) await pause(1)
  server.off('connection', restart)
}

/** Stops accepting connections, waits up to `graceMs` for the open ones to close, then destroys the others. */
export const stop = async (server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> => {
  // `close` calls this method, which treats a connection as idle while its client still reads a response
  server.closeIdleConnections = () => {}
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const deadline = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, graceMs)
  await closed
  clearTimeout(deadline)
}

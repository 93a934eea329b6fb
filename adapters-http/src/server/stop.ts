import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connections } from './connections.js'

/** The accept queue counts as empty after this time without a new connection. */
const quietMs = 10
const maxAcceptMs = 250

/** Time after which a connection without a request in progress counts as idle. */
const idleMs = 500

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
export const stop = async (server: Server, connections: Connections, graceMs: number): Promise<void> => {
  // `close` calls this method, and would cut off clients that still read a response
  server.closeIdleConnections = () => {}
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const deadline = setTimeout(() => connections.closeAll(), graceMs)
  let received = new Map<Socket, number>()
  const closeIdle = (): void => {
    const sockets = connections.withoutRequest()
    for (const socket of sockets) if (received.get(socket) === socket.bytesRead) socket.destroy()
    received = new Map(sockets.map(socket => [socket, socket.bytesRead]))
  }
  closeIdle()
  const checks = setInterval(closeIdle, idleMs)
  await closed
  clearTimeout(deadline)
  clearInterval(checks)
}

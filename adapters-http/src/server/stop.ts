import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const sweepMs = 50

/** How long a connection that has sent nothing yet may still send its first request. */
const firstRequestMs = 1000

/** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys what is left. */
export const stop = async (server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> => {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  // those that become idle
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const silent = setTimeout(() => {
    // Node does not count them among the idle ones
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, firstRequestMs)
  const cut = setTimeout(() => {
    server.closeAllConnections()
    // CONNECT takes a connection out of Node's list
    for (const socket of sockets) socket.destroy()
  }, graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(silent)
  clearTimeout(cut)
}

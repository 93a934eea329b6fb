import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.js'

const checkMs = 100
const minBytesPerSecond = 1024

/** Returns the bytes of responses that the process holds because clients have not read them. */
export const unsentBytes = (sockets: Iterable<Socket>): number => {
  let total = 0
  for (const { writableLength } of sockets) total += writableLength
  return total
}

/** Disconnects slow readers and, while the total exceeds the limit, the clients with the most unsent bytes. */
export const limitUnsentBytes = (
  sockets: ReadonlySet<Socket>,
  { unsentBytes: limit, stallMs }: ServerLimits,
  disconnect: (socket: Socket) => void,
): (() => void) => {
  const checkBytes = setInterval(() => {
    let excess = unsentBytes(sockets) - limit
    if (excess <= 0) return
    for (const socket of [...sockets].sort((a, b) => b.writableLength - a.writableLength)) {
      if (excess <= 0) return
      excess -= socket.writableLength
      disconnect(socket)
    }
  }, checkMs).unref()
  const intervalMs = 2 * stallMs
  const minBytesPerInterval = (minBytesPerSecond * intervalMs) / 1000
  const sentBefore = new WeakMap<Socket, number>()
  const checkRates = setInterval(() => {
    for (const socket of sockets) {
      const sent = socket.bytesWritten - socket.writableLength
      const before = sentBefore.get(socket)
      sentBefore.delete(socket)
      if (socket.writableLength === 0) continue
      sentBefore.set(socket, sent)
      if (before !== undefined && sent - before < minBytesPerInterval) disconnect(socket)
    }
  }, intervalMs).unref()
  return () => {
    clearInterval(checkBytes)
    clearInterval(checkRates)
  }
}

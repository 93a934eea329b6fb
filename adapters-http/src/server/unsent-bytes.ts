import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.js'

const checkMs = 100
const minBytesPerSecond = 1024

/** Bytes of responses that wait in the process for clients to read them. */
export const unsentBytes = (sockets: Iterable<Socket>): number => {
  let total = 0
  for (const { writableLength } of sockets) total += writableLength
  return total
}

/** Disconnects the clients with the most bytes to read while all together exceed the limit, and those that read too slowly. */
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
  const windowMs = 2 * stallMs
  const minBytesPerWindow = (minBytesPerSecond * windowMs) / 1000
  const takenBefore = new WeakMap<Socket, number>()
  const checkRates = setInterval(() => {
    for (const socket of sockets) {
      const taken = socket.bytesWritten - socket.writableLength
      const before = takenBefore.get(socket)
      takenBefore.delete(socket)
      if (socket.writableLength === 0) continue
      takenBefore.set(socket, taken)
      if (before !== undefined && taken - before < minBytesPerWindow) disconnect(socket)
    }
  }, windowMs).unref()
  return () => {
    clearInterval(checkBytes)
    clearInterval(checkRates)
  }
}

import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.js'

const checkMs = 100
const minBytesPerSecond = 1024
const checksPerMeasurement = 60

/** Returns the bytes of responses that the process holds because clients have not read them. */
export const unsentBytes = (sockets: Iterable<Socket>): number => {
  let total = 0
  for (const { writableLength } of sockets) total += writableLength
  return total
}

/**
 * Returns a check that is true if the client read less than `minBytes` over `checksPerMeasurement` checks. A check
 * without unsent bytes restarts the measurement, because a client that requests little reads little, but is not slow.
 */
export const slowReaderCheck = (minBytes: number) => {
  const measurements = new WeakMap<object, Readonly<{ checks: number; sentBefore: number }>>()
  return (socket: Pick<Socket, 'bytesWritten' | 'writableLength'>): boolean => {
    const sent = socket.bytesWritten - socket.writableLength
    const { checks, sentBefore } = measurements.get(socket) ?? { checks: 0, sentBefore: sent }
    measurements.delete(socket)
    if (socket.writableLength === 0) return false
    if (checks === checksPerMeasurement) return sent - sentBefore < minBytes
    measurements.set(socket, { checks: checks + 1, sentBefore })
    return false
  }
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
  const measuredMs = 2 * stallMs
  const isSlow = slowReaderCheck((minBytesPerSecond * measuredMs) / 1000)
  const checkRates = setInterval(() => {
    for (const socket of sockets) if (isSlow(socket)) disconnect(socket)
  }, measuredMs / checksPerMeasurement).unref()
  return () => {
    clearInterval(checkBytes)
    clearInterval(checkRates)
  }
}

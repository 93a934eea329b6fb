import type { Socket } from 'node:net'

const sweepMs = 500

/** How many bytes of answers wait in the process for clients to read them. */
export const unsentBytes = (sockets: Iterable<Socket>): number => {
  let total = 0
  for (const { writableLength } of sockets) total += writableLength
  return total
}

/** Cuts off the clients that are furthest behind with reading, until all together are within the limit. Returns how to stop. */
export const limitUnsentBytes = (sockets: ReadonlySet<Socket>, limit: number): (() => void) => {
  const sweep = setInterval(() => {
    let excess = unsentBytes(sockets) - limit
    if (excess <= 0) return
    for (const socket of [...sockets].sort((a, b) => b.writableLength - a.writableLength)) {
      if (excess <= 0) return
      excess -= socket.writableLength
      socket.destroy()
    }
  }, sweepMs).unref()
  return () => clearInterval(sweep)
}

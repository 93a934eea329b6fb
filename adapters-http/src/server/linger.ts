import type { Socket } from 'node:net'

const mostDiscarded = 1024 * 1024
/** What fills a packet of this size is read at 3 MB a second, so that it does not fill the memory with garbage. */
const largePacket = 16 * 1024
const pauseMs = 20
const longestSilenceMs = 1_000
const longestMs = 30_000

/**
 * Closes a connection in stages (RFC 9112, 9.6): says that nothing more will be sent, then reads on until the client closes
 * its side or falls silent. Closing at once with bytes unread would reset the connection, and the last answer might be lost.
 */
export const lingerAndClose = (socket: Socket): void => {
  // already closed: nothing would stop the timer below
  if (socket.destroyed) return
  socket.end()
  const mostRead = socket.bytesRead + mostDiscarded
  const latest = performance.now() + longestMs
  let heard = socket.bytesRead
  const checks = setInterval(() => {
    if (socket.bytesRead === heard || performance.now() > latest) socket.destroy()
    heard = socket.bytesRead
  }, longestSilenceMs)
  socket.once('close', () => clearInterval(checks))
  discardData(socket, packet => {
    // what the client has not read of the answer would be lost in a reset: it comes when the client falls silent or is late
    if (socket.bytesRead > mostRead) socket.pause()
    else if (packet.length >= largePacket) pauseBriefly(socket)
  })
}

/** Takes the socket away from Node's parser, which would go on making requests of what is read. */
const discardData = (socket: Socket, onData: (packet: Buffer) => void): void => {
  const detach = (): void => void socket.removeAllListeners('data').on('data', onData)
  if (socket.readableFlowing) detach()
  else socket.once('resume', detach).resume()
}

const pauseBriefly = (socket: Socket): void => {
  socket.pause()
  setTimeout(() => socket.resume(), pauseMs)
}

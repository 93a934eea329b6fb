import type { Socket } from 'node:net'
import { readingTurns } from './reading-turns.js'

const maxDiscarded = 1024 * 1024
/** A client that fills a packet of this size has more to send. */
const largePacket = 16 * 1024
const maxSilenceMs = 1_000
/** While many clients go on sending: time enough for those that read to have the last answer. */
const maxMs = { usual: 30_000, crowded: 3_000 }

/**
 * Closes a connection in stages (RFC 9112, 9.6): says that nothing more will be sent, then reads on until the client closes
 * its side or falls silent. Closing at once with bytes unread would reset the connection, and the last answer might be lost.
 * Where the client is still sending a body, reading begins in its turn.
 */
export const lingerAndClose = (socket: Socket, isSendingBody: boolean): void => {
  // already closed: nothing would stop the timer below
  if (socket.destroyed) return
  socket.end()
  const maxRead = socket.bytesRead + maxDiscarded
  const begun = performance.now()
  let heard = socket.bytesRead
  const checks = setInterval(() => {
    const isSilent = socket.bytesRead === heard && !readingTurns.isWaiting(socket)
    const most = readingTurns.isCrowded ? maxMs.crowded : maxMs.usual
    if (isSilent || performance.now() - begun > most) socket.destroy()
    heard = socket.bytesRead
  }, maxSilenceMs)
  socket.once('close', () => clearInterval(checks))
  discardData(socket, packet => {
    // what the client has not read of the answer would be lost in a reset: it comes when the client falls silent or is late
    if (socket.bytesRead > maxRead) socket.pause()
    else if (packet.length >= largePacket) readingTurns.wait(socket)
  })
  if (isSendingBody) readingTurns.wait(socket)
}

/** Takes the socket away from Node's parser, which would go on making requests of what is read. */
const discardData = (socket: Socket, onData: (packet: Buffer) => void): void => {
  const detach = (): void => void socket.removeAllListeners('data').on('data', onData)
  if (socket.readableFlowing) detach()
  else socket.once('resume', detach).resume()
}

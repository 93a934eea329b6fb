import type { IncomingMessage, ServerResponse } from 'node:http'

const mostDrained = 1024 * 1024
const longestSilenceMs = 1000

/**
 * An answer that is given before the body was read leaves the rest of the body on the connection. Reading on lets a client
 * that is still sending see the answer, but only so far, or it could send for ever. Where the connection is to be closed, it
 * is closed once the client has stopped sending: closing with bytes unread would reset it, and the answer might be lost.
 */
export const endAfterUnreadBody = (req: IncomingMessage, res: ServerResponse, body: string): void => {
  if (req.complete || !announcesBody(req)) return void res.end(body)
  let left = mostDrained
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  req.resume()
  if (res.shouldKeepAlive) return void res.end(body)
  res.flushHeaders()
  res.write(body)
  const end = (): void => void res.end()
  const { socket } = req
  let heard = socket.bytesRead
  const silence = setInterval(() => {
    if (heard === socket.bytesRead) end()
    heard = socket.bytesRead
  }, longestSilenceMs)
  req.once('close', end).once('close', () => clearInterval(silence))
}

/** To be asked before the head of the answer is written. */
export const mustClose = ({ complete, headers }: IncomingMessage, status: number): boolean => {
  if (complete) return false
  const { 'transfer-encoding': chunked, 'content-length': length, expect } = headers
  // a client that waits for 100 Continue may or may not send its body after this answer
  if (expect !== undefined) return true
  return chunked === undefined ? Number(length ?? 0) > mostDrained : status === 413
}

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

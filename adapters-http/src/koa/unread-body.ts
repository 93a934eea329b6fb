import type { IncomingMessage, ServerResponse } from 'node:http'

const mostDrained = 1024 * 1024

/**
 * An answer that is given before the body was read leaves the rest of the body on the connection. Reading on lets a client
 * that is still sending see the answer, and keeps the connection fit for the next request; but only so far, or a client
 * could send for ever.
 */
export const boundUnreadBody = (req: IncomingMessage, res: ServerResponse): void => {
  if (req.complete || !announcesBody(req)) return
  // a client that waits for 100 Continue may or may not send its body after this answer, so what follows has no known start
  if (req.headers.expect !== undefined) res.shouldKeepAlive = false
  let left = mostDrained
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  req.resume()
}

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

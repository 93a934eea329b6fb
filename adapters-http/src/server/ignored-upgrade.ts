import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Ignores a request to upgrade to another protocol, so that it is served itself (RFC 9110, 7.8). Also puts back a request at
 * which a crowded parser was stopped. Without an 'upgrade' listener
 * Node does the same, but loses the bytes after the request in the same packet. With one, Node detaches the socket. So the
 * request is put back without its Upgrade header, and the server gets the socket as a new connection in `serveAgain`.
 *
 * At once: a client may close its side before its earlier requests are answered, and nothing can be put back after the end.
 */
export const putBack = (req: IncomingMessage, socket: Duplex, rest: Buffer): void => {
  if (rest.length > 0) socket.unshift(rest)
  socket.unshift(headWithoutUpgrade(req))
}

export const serveAgain = (server: Server, socket: Duplex): void => {
  server.emit('connection', socket)
  // it may have been paused for the requests before
  socket.resume()
}

/** Without spaces, so that it is not longer than it was: its length is limited. */
const headWithoutUpgrade = ({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer => {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() !== 'upgrade') head += `${rawHeaders[i]}:${rawHeaders[i + 1]}\r\n`
  return Buffer.from(`${head}\r\n`, 'latin1')
}

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Node's parser of a connection. Not in Node's documentation, but on every socket of an HTTP server. */
type Parser = { onIncoming: (req: IncomingMessage & { upgrade?: boolean }, shouldKeepAlive: boolean) => unknown }

/**
 * Stops Node's parser in the middle of a packet before each request for which this is so. By default it takes a whole packet
 * at once, and 64 KB of pipelined requests become a thousand objects of some kilobytes. Slicing packets before the parser
 * would cost every request a tenth more, since Node then reads the socket by way of JavaScript.
 *
 * The only way to stop it is to call the request an upgrade: Node detaches the socket, and hands over the request and what
 * came behind it. The server's 'upgrade' listener puts both back once there is room.
 */
export const stopParserWhen = (socket: Socket, isCrowded: () => boolean): void => {
  const parser = parserOf(socket)
  if (parser === undefined) return
  const { onIncoming } = parser
  parser.onIncoming = (req, shouldKeepAlive) => {
    if (!isCrowded()) return onIncoming(req, shouldKeepAlive)
    req.upgrade = true
    return skipTheRest
  }
}

/** What Node itself returns at an upgrade. */
const skipTheRest = 2

const parserOf = (socket: Socket & { parser?: Parser | null }): Parser | undefined => socket.parser ?? undefined

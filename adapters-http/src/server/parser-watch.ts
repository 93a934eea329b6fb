import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * What becomes of a request that Node has parsed: Node serves it, it has been begun without Node, it has been answered, or it and
 * what follows wait unparsed.
 */
export type Verdict = 'serve' | 'begun' | 'answered' | 'stop'

/** `upgrade` is set for CONNECT too. */
export type ParsedRequest = IncomingMessage & { upgrade?: boolean; _dumped?: boolean }

/** Node's parser of a connection. Not in Node's documentation, but on every socket of an HTTP server. */
type Parser = {
  incoming: IncomingMessage | null
  onIncoming: (req: ParsedRequest, shouldKeepAlive: boolean) => unknown
}

/**
 * Looks at each request before Node makes a response for it.
 *
 * To stop, because by default the parser takes a whole packet at once, and 64 KB of pipelined requests become a thousand
 * objects of some kilobytes. Slicing packets before the parser would cost every request a tenth more, since Node then reads
 * the socket by way of JavaScript. The only way to stop the parser is to call the request an upgrade: Node detaches the
 * socket, and hands over the request and what came behind it. The server's 'upgrade' listener puts both back once there is
 * room.
 *
 * To answer, because a response with its listeners costs several times as much as the few bytes of a refusal.
 *
 * To serve it on the short cut.
 */
export const watchParser = (
  socket: Socket,
  judge: (req: ParsedRequest, shouldKeepAlive: boolean) => Verdict,
): WatchedParser | undefined => {
  const parser = parserOf(socket)
  if (parser === undefined) return undefined
  const { onIncoming } = parser
  parser.onIncoming = (req, shouldKeepAlive) => {
    const verdict = judge(req, shouldKeepAlive)
    if (verdict === 'serve') return onIncoming(req, shouldKeepAlive)
    if (verdict === 'answered') ignoreTheRest(parser, req)
    if (verdict === 'stop') req.upgrade = true
    return verdict === 'stop' ? skipTheRest : goOn
  }
  return {
    release: req => release(parser, req),
    handToNode: res => {
      const { req, shouldKeepAlive } = res
      Object.assign(req, { earlyResponse: res })
      onIncoming(req, shouldKeepAlive)
    },
  }
}

/** Node then reads the body and discards it. Without one there is no more of the request, and nobody waits for its end. */
const ignoreTheRest = (parser: Parser, req: ParsedRequest): void => {
  if (hasContentLength(req)) req._dumped = true
  else release(parser, req)
}

const release = (parser: Parser, req: IncomingMessage): void => {
  if (parser.incoming === req) parser.incoming = null
}

export type WatchedParser = Readonly<{
  /** Has the parser forget a request that has arrived. */
  release: (req: IncomingMessage) => void
  /** Has Node serve a request to which this is the response. */
  handToNode: (res: ServerResponse) => void
}>

/** A request in chunks is never answered here. */
export const hasContentLength = ({ headers }: IncomingMessage): boolean => headers['content-length'] !== undefined

/** What Node itself returns at an upgrade, and after a request. */
const skipTheRest = 2
const goOn = 0

const parserOf = (socket: Socket & { parser?: Parser | null }): Parser | undefined => socket.parser ?? undefined

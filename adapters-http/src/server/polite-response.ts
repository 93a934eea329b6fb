import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { headLines, httpDate, statusLine } from './head-lines.js'
import type { UnsentBytes } from './unsent-bytes.js'

const maxDiscarded = 1024 * 1024

/** In characters. A text that is much longer than a head gains nothing. */
const maxInOneWrite = 8 * 1024

const maxListeners = 20

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[]
type Callback = () => void
type WriteCallback = (error?: Error | null) => void

/**
 * A response that may be sent before the request's body has been read, whoever sends it: a route, middleware or Koa. The rest
 * of the body is then read and discarded, so that a client that is still sending sees the response and the next request is
 * found after the body. Past a bound the connection is closed instead.
 */
export class PoliteResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  // undefined outside a server with limits
  declare readonly unsent?: UnsentBytes
  declare readonly keepAlive?: string
  // not in Node's documentation: the head as text, and whether it has left
  declare private _header: string | null
  declare private _headerSent: boolean

  /**
   * An ordinary answer, head and text in one write. Node checks each header twice, looks at each name for what it may mean, and
   * writes a second time, which together is 6 % of a detail. False where only Node's way will do; nothing has been written then.
   */
  sendWhole(status: number, headers: OutgoingHttpHeaders, text: string, encoding: 'latin1' | 'utf8'): boolean {
    if (text.length > maxInOneWrite || !this.#isOrdinary()) return false
    const lines = headLines(headers)
    if (lines === undefined) return false
    this.statusCode = status
    this._header = `${statusLine(status)}${lines}Date: ${httpDate()}\r\n${this.keepAlive}\r\n`
    this._headerSent = true
    this.socket?.write(this._header + text, encoding)
    this.end()
    return true
  }

  #isOrdinary(): boolean {
    const { req, socket } = this
    if (
      !this.shouldKeepAlive ||
      this.keepAlive === undefined ||
      this._header !== null ||
      this.getHeaderNames().length > 0
    )
      return false
    return socket !== null && !socket.destroyed && req.complete && req.httpVersionMinor === 1
  }

  override writeHead(status: number, reason?: string, headers?: Headers): this
  override writeHead(status: number, headers?: Headers): this
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (!this.req.complete && mustClose(this.req, status)) this.shouldKeepAlive = false
    return typeof reason === 'string' ? super.writeHead(status, reason, headers) : super.writeHead(status, reason)
  }

  /** HTTP/1.0 has no interim responses (RFC 9110, 10.1.1). */
  override writeContinue(done?: Callback): void {
    if (this.req.httpVersionMinor > 0) super.writeContinue(done)
  }

  override write(chunk: unknown, done?: WriteCallback): boolean
  override write(chunk: unknown, encoding: BufferEncoding, done?: WriteCallback): boolean
  override write(chunk: unknown, encoding?: BufferEncoding | WriteCallback, done?: WriteCallback): boolean {
    const goesOn =
      typeof encoding === 'function' ? super.write(chunk, encoding) : super.write(chunk, encoding ?? 'utf8', done)
    if (!goesOn) this.unsent?.add(this)
    return goesOn
  }

  override end(done?: Callback): this
  override end(chunk: unknown, done?: Callback): this
  override end(chunk: unknown, encoding: BufferEncoding, done?: Callback): this
  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, done?: Callback): this {
    if (typeof encoding === 'function') super.end(chunk, encoding)
    else super.end(chunk, encoding ?? 'utf8', done)
    if (!this.req.complete && announcesBody(this.req)) discardBody(this)
    if (!this.writableFinished) this.unsent?.add(this)
    return this
  }
}

type Shared = Readonly<{
  /** Where an answer is counted that its client has not read yet. */
  unsent: UnsentBytes
  /** The lines of a head that leave the connection open. */
  keepAlive: string
}>

/** The responses of one server. What they share is in their prototype: setting it in each cost several hundredths of a detail. */
export const responsesWith = (shared: Shared): typeof PoliteResponse => {
  class OwnResponse<Request extends IncomingMessage = IncomingMessage> extends PoliteResponse<Request> {}
  Object.assign(OwnResponse.prototype, shared)
  // Koa pipes a stream into it, which alone takes eight
  OwnResponse.prototype.setMaxListeners(maxListeners)
  return OwnResponse
}

const mustClose = ({ headers }: IncomingMessage, status: number): boolean => {
  const { 'transfer-encoding': chunked, 'content-length': length } = headers
  return chunked === undefined ? Number(length ?? 0) > maxDiscarded : status === 413
}

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const discardBody = (res: ServerResponse): void => {
  const { req } = res
  let left = maxDiscarded
  const onData = (piece: Buffer): void => {
    left -= piece.length
    if (left >= 0) return
    req.off('data', onData).pause()
    // not at once, which could cost the client the response
    if (res.writableFinished) req.socket.destroySoon()
    else res.once('finish', () => req.socket.destroySoon())
  }
  req.on('data', onData).resume()
}

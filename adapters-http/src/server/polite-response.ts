import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { GatheredRequest } from './gathered-request.js'
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
  declare readonly handToNode?: (res: ServerResponse) => void
  // not in Node's documentation: the head as text, and whether it has left
  declare private _header: string | null
  declare private _headerSent: boolean
  declare private _closed: boolean

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
    const { socket } = this.req
    socket.write(this._header + text, encoding)
    if (this.socket === null && socket.writableLength === 0) this.close()
    else this.end()
    return true
  }

  /** For a response that Node has not been given: what Node does when one has been sent, or its client has left. */
  close(): void {
    this.finished = this._headerSent
    this.destroyed = true
    this._closed = true
    this.emit('close')
  }

  /** Nothing, if Node has it. */
  giveToNode(): void {
    if (this.socket === null && !this.closed) this.handToNode?.(this)
  }

  #isOrdinary(): boolean {
    const { req } = this
    const { socket } = req
    if (
      !this.shouldKeepAlive ||
      this.keepAlive === undefined ||
      this._header !== null ||
      this.getHeaderNames().length > 0
    )
      return false
    return !this.closed && !socket.destroyed && req.complete && req.httpVersionMinor === 1
  }

  override writeHead(status: number, reason?: string, headers?: Headers): this
  override writeHead(status: number, headers?: Headers): this
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    this.giveToNode()
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
    this.giveToNode()
    const goesOn =
      typeof encoding === 'function' ? super.write(chunk, encoding) : super.write(chunk, encoding ?? 'utf8', done)
    if (!goesOn) this.unsent?.add(this)
    return goesOn
  }

  override end(done?: Callback): this
  override end(chunk: unknown, done?: Callback): this
  override end(chunk: unknown, encoding: BufferEncoding, done?: Callback): this
  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, done?: Callback): this {
    this.giveToNode()
    if (typeof encoding === 'function') super.end(chunk, encoding)
    else super.end(chunk, encoding ?? 'utf8', done)
    if (!this.req.complete && announcesBody(this.req)) discardBody(this)
    if (!this.writableFinished) this.unsent?.add(this)
    return this
  }

  override writeProcessing(): void {
    this.giveToNode()
    super.writeProcessing()
  }

  override writeEarlyHints(hints: Record<string, string | string[]>, done?: Callback): void {
    this.giveToNode()
    super.writeEarlyHints(hints, done)
  }

  override setTimeout(ms: number, onTimeout?: Callback): this {
    this.giveToNode()
    return super.setTimeout(ms, onTimeout)
  }

  override destroy(error?: Error): this {
    this.giveToNode()
    return super.destroy(error)
  }
}

type Shared = Readonly<{
  /** Has Node take over a response that was made without it. */
  handToNode: (res: ServerResponse) => void
  /** Where an answer is counted that its client has not read yet. */
  unsent: UnsentBytes
  /** The lines of a head that leave the connection open. */
  keepAlive: string
}>

/** In Node's documentation it takes the request only. */
type ResponseClass = new (req: IncomingMessage, options?: object) => PoliteResponse

/**
 * The class of the responses of one server. What they share is in its prototype: setting it in each cost several hundredths of
 * a detail.
 */
export const responsesWith = (shared: Shared): ResponseClass => {
  class OwnResponse extends PoliteResponse {}
  Object.assign(OwnResponse.prototype, shared)
  // Koa pipes a stream into it, which alone takes eight
  OwnResponse.prototype.setMaxListeners(maxListeners)
  return OwnResponse as ResponseClass
}

/** For Node, which calls it with `new`: the response that there is already, if Node takes a request over. */
export const orEarlier = (Response: ResponseClass): typeof PoliteResponse => {
  // not an arrow function, which cannot be called with `new`
  function responseTo(req: GatheredRequest, options: object): PoliteResponse {
    return req.earlyResponse ?? new Response(req, options)
  }
  return responseTo as unknown as typeof PoliteResponse
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

import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.js'
import { hasContentLength, type ParsedRequest, type Verdict, type WatchedParser, watchParser } from './parser-watch.js'
import type { PoliteResponse } from './polite-response.js'

export type ShortcutParts = Readonly<{
  limits: Pick<ServerLimits, 'idleMs' | 'stallMs'>
  /** Makes a response of which Node does not know. */
  responseTo: (req: IncomingMessage) => PoliteResponse
}>

/** As Node: a client may send a request at the last moment. */
const extraIdleMs = 1_000

/** Whoever watches requests there would miss those on the short cut. */
const requestStart = channel('http.server.request.start')
const responseFinish = channel('http.server.response.finish')
const isWatched = (): boolean => requestStart.hasSubscribers || responseFinish.hasSubscribers

/**
 * A way past what Node does for a response of which it knows, which takes a quarter of a detail: it joins it to the socket and
 * parts them again, sets two timers, ends the request's stream, and waits three times for the next tick. As soon as anything
 * is asked for but an ordinary answer in one write, or anything happens on the connection, Node takes over.
 */
export class Shortcut {
  readonly #socket: Socket
  readonly #parts: ShortcutParts
  #parser: WatchedParser | undefined
  /** Until it is sent. */
  #res: PoliteResponse | undefined
  #silence = { ms: 0, bytes: 0 }

  constructor(socket: Socket, parts: ShortcutParts) {
    this.#socket = socket
    this.#parts = parts
    // before Node's own listener, which closes its side too if it knows of no response
    socket.prependListener('end', () => this.leave())
  }

  watch(judge: (req: ParsedRequest, shouldKeepAlive: boolean) => Verdict): void {
    this.#parser = watchParser(this.#socket, judge)
  }

  /** The response to a request that takes the short cut. Undefined for one that may need more. */
  responseTo(req: ParsedRequest): PoliteResponse | undefined {
    if (!isPlain(req) || isWatched()) return undefined
    this.setTimeout(this.#shorterMs)
    if (!hasContentLength(req)) {
      req.complete = true
      this.#parser?.release(req)
    }
    this.#res = this.#parts.responseTo(req)
    return this.#res
  }

  /** Has Node take over this response. */
  handToNode(res: ServerResponse): void {
    if (res === this.#res) this.leave()
  }

  /** Has Node take over. */
  leave(): void {
    // too late for Node to hear of it
    if (this.#socket.closed) return
    const res = this.#res
    this.#res = undefined
    if (res !== undefined) this.#parser?.handToNode(res)
  }

  /** The answer has been sent. */
  end(req: IncomingMessage): void {
    this.#res = undefined
    this.#parser?.release(req)
  }

  /** The client has left. */
  lose(): void {
    const res = this.#res
    this.#res = undefined
    // as Node does
    res?.req.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    res?.close()
  }

  /** For as long as the socket's timeout nothing was read or written. */
  onTimeout(isIdle: boolean): void {
    const { timeout = 0, bytesRead, bytesWritten } = this.#socket
    const bytes = bytesRead + bytesWritten
    const ms = timeout + (bytes === this.#silence.bytes ? this.#silence.ms : 0)
    this.#silence = { ms, bytes }
    const limit = isIdle ? this.#maxIdleMs : this.#parts.limits.stallMs
    if (ms >= limit) this.#socket.destroy()
    else this.#socket.setTimeout(limit - ms)
  }

  setTimeout(ms: number): void {
    if (this.#socket.timeout !== ms) this.#socket.setTimeout(ms)
  }

  /** Node sets one or the other, twice for each request. Here the rest of the longer one is waited for when it is needed. */
  get #shorterMs(): number {
    return Math.min(this.#maxIdleMs, this.#parts.limits.stallMs)
  }

  get #maxIdleMs(): number {
    return this.#parts.limits.idleMs + extraIdleMs
  }
}

/** It has a body of known length, or none, and nothing that has to be answered before. */
const isPlain = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers['transfer-encoding'] === undefined && headers.expect === undefined

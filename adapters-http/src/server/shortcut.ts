import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
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
const watched = channel('http.server.request.start')

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
  /** Whether the latest request took it: then Node does not see to the socket's timeout. */
  #wasTaken = false
  #hasWaited = false

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
    if (!isPlain(req) || watched.hasSubscribers) return undefined
    this.#wasTaken = true
    this.#beginToWait()
    if (!hasContentLength(req)) {
      req.complete = true
      this.#parser?.release(req)
    }
    this.#res = this.#parts.responseTo(req)
    return this.#res
  }

  /** Has Node take over. */
  leave(): void {
    const res = this.#res
    this.#res = undefined
    this.#wasTaken = this.#hasWaited = false
    this.setTimeout(this.#parts.limits.stallMs)
    if (res !== undefined) this.#parser?.handToNode(res)
  }

  /** The answer has been sent. */
  end(req: IncomingMessage): void {
    this.#res = undefined
    this.#parser?.release(req)
    if (this.#hasWaited) this.#beginToWait()
  }

  /** The client has left. */
  lose(): void {
    this.#res?.close()
    this.#res = undefined
  }

  /** For as long as the socket's timeout nothing was read or written. On the short cut that is the shorter of the two limits. */
  onTimeout(isIdle: boolean): void {
    const ms = this.#socket.timeout ?? 0
    const limit = isIdle ? this.#maxIdleMs : this.#parts.limits.stallMs
    if (!this.#wasTaken || this.#hasWaited || limit <= ms) this.#socket.destroy()
    else {
      this.#hasWaited = true
      this.setTimeout(limit - ms)
    }
  }

  #beginToWait(): void {
    this.#hasWaited = false
    this.setTimeout(Math.min(this.#maxIdleMs, this.#parts.limits.stallMs))
  }

  setTimeout(ms: number): void {
    if (this.#socket.timeout !== ms) this.#socket.setTimeout(ms)
  }

  get #maxIdleMs(): number {
    return this.#parts.limits.idleMs + extraIdleMs
  }
}

/** It has a body of known length, or none, and nothing that has to be answered before. */
const isPlain = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers['transfer-encoding'] === undefined && headers.expect === undefined

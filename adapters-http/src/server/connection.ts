import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Problem } from '../answer/problems.js'
import { lingerAndClose } from './linger.js'
import { hasContentLength, type ParsedRequest, type Verdict } from './parser-watch.js'
import { type Refusals, requestTimeout } from './refusal.js'
import { Shortcut, type ShortcutParts } from './shortcut.js'
import { Silence } from './silence.js'

/** How long a draining connection may be silent before its next request, its first one, and within a request. */
const nextRequestMs = 250
const firstRequestMs = 1_000
const restOfRequestMs = 2_000

/** The first bytes of a new connection may have arrived, and not been read yet. */
const newMs = 1_000

/**
 * Past this, what else has been read is left unparsed. A request costs some kilobytes even before it has begun, and one that
 * waits for long is garbage that V8 collects late.
 */
const maxWaiting = 2

/** Refuses a request before there is a response for it, where there is no room. False when it has to be served. */
export type Shed = (req: IncomingMessage) => boolean

export type ConnectionParts = ShortcutParts &
  Readonly<{
    refusals: Refusals
    shed: Shed
    /** Serves the requests that take the short cut. */
    listener: RequestListener
  }>
type Turn = Readonly<{ listener: RequestListener; res: ServerResponse }>

/**
 * Serves the requests of one connection one at a time. Node hands out every request of a packet at once, and keeps the
 * answers in memory until their turn: a few kilobytes of pipelined requests could ask for gigabytes. So a request waits
 * until the answer before it has gone to the kernel, and nothing more is read from the socket while one waits.
 */
export class Connection {
  readonly #socket: Socket
  readonly #refusals: Refusals
  readonly #parts: ConnectionParts
  readonly #shortcut: Shortcut
  /** The answer that is being made, or the last one while its request is still arriving. */
  #current: ServerResponse | undefined
  #hasServed = false
  #waiting: Turn[] = []
  /** The latest request that was refused early, while its body is still to be discarded. */
  #discarded: IncomingMessage | undefined
  #hasRefusedEarly = false
  #draining: Readonly<{ hold: Promise<void>; silence: Silence }> | undefined
  #isRefused = false
  /** What comes after the answers that are still to be sent. */
  #refusal: Problem | undefined
  readonly #opened = performance.now()
  #isClosing = false
  /** Nobody listens to the socket: what it read would be lost. */
  #isDetached = false

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#refusals = parts.refusals
    this.#shortcut = new Shortcut(socket, parts)
    // Node takes its own listener away at CONNECT, and an error that nobody listens for ends the process
    socket.on('error', ignore)
    // Node calls this after an answer that closes the connection
    socket.destroySoon = () => {
      if (this.#refusal === undefined) this.#close()
      else this.#refuseRaw(this.#refusal)
    }
    this.attach()
  }

  /** For each parser that Node gives the connection. */
  attach(): void {
    this.#shortcut.watch(this.#judge)
  }

  readonly #judge = (req: ParsedRequest, shouldKeepAlive: boolean): Verdict => {
    if (this.#waiting.length >= maxWaiting) return 'stop'
    const { shed, limits, listener } = this.#parts
    const isNext = shouldKeepAlive && !req.upgrade && this.#draining === undefined && this.isIdle
    if (isNext && shed(req)) {
      this.#noteRefused(req)
      // Node sees to it once it has served a request
      if (!this.#hasServed) this.#shortcut.setTimeout(limits.idleMs)
      return 'answered'
    }
    const res = isNext ? this.#shortcut.responseTo(req) : undefined
    if (res === undefined) {
      this.#shortcut.leave()
      return 'serve'
    }
    this.#begin(listener, res)
    return 'begun'
  }

  /** Has Node take over the response that is being made. */
  handToNode(res: ServerResponse): void {
    this.#shortcut.handToNode(res)
  }

  onTimeout(): void {
    // whoever listens decides, as with Node
    const isHandled = this.#current?.listenerCount('timeout') || this.#current?.req.listenerCount('timeout')
    if (!isHandled) this.#shortcut.onTimeout(this.isIdle)
  }

  #noteRefused(req: ParsedRequest): void {
    this.#hasRefusedEarly = true
    this.#discarded = hasContentLength(req) ? req : undefined
  }

  serve(listener: RequestListener, res: ServerResponse): void {
    // begun on the short cut
    if (res === this.#current) return
    if (this.#current === undefined || this.#current.closed) this.#begin(listener, res)
    else this.#wait({ listener, res })
  }

  /** Refuses what follows the newest request, or its body. At most once, and only after the answers before. */
  refuse(problem: Problem): void {
    if (this.#isRefused) return
    this.#isRefused = true
    const newest = this.#newest
    if (this.#isDiscarding) this.#close()
    else if (newest === undefined || (newest.closed && newest.req.complete)) this.#refuseRaw(problem)
    // it has its answer, whatever becomes of its body
    else if (newest.closed) this.#close()
    else if (newest.req.complete) this.#refuseAfter(newest, problem)
    else if (newest.writableEnded) newest.once('close', () => this.#close())
    // cut off, so that the answer does not look whole
    else if (newest.headersSent) this.#socket.destroy()
    else if (this.#waiting.pop() === undefined) this.#refusals.breakOff(newest, problem)
    else this.#refusals.answerAndClose(newest, problem)
  }

  /** Between two requests, or before the head of one has arrived. */
  get isIdle(): boolean {
    return this.#isAnswered && !this.#isDiscarding
  }

  get #isAnswered(): boolean {
    const newest = this.#newest
    return newest === undefined || newest.closed
  }

  get #hasAnswered(): boolean {
    return this.#hasServed || this.#hasRefusedEarly
  }

  get #isDiscarding(): boolean {
    return this.#discarded?.complete === false
  }

  /** All is answered and sent, and it is not so new that its first request may be on its way. */
  get hasNothingToDo(): boolean {
    if (this.#socket.writableLength > 0) return false
    return this.#isAnswered && (this.#hasAnswered || performance.now() - this.#opened > newMs)
  }

  /**
   * For CONNECT and Upgrade, at which Node detaches the socket though earlier answers may still be on their way. Does for
   * these what Node no longer does, and goes on when they have been sent.
   */
  whenDetached(goOn: () => void): void {
    const drain = (): void => void this.#current?.emit('drain')
    const cut = (): void => void this.#socket.destroy()
    const end = (): void => {
      this.#isDetached = false
      this.#socket.off('drain', drain).off('timeout', cut)
      if (this.#socket.writable) goOn()
    }
    this.#isDetached = true
    this.#socket.on('drain', drain).on('timeout', cut)
    const newest = this.#newest
    if (newest === undefined || newest.closed) end()
    else newest.once('close', end)
  }

  /** Closes the connection after the newest request that has arrived. New requests begin when `hold` resolves. */
  drain(hold: Promise<void>): void {
    this.#draining = { hold, silence: new Silence(this.#socket) }
    this.#shortcut.leave()
    if (this.#newest !== undefined) this.#newest.shouldKeepAlive = false
  }

  /** While draining: gives up waiting for a request, or for the rest of one. */
  closeIfSilent(): void {
    if (this.#draining === undefined || this.#isClosing || this.#socket.isPaused()) return
    const { silence } = this.#draining
    const ms = silence.ms()
    const newest = this.#newest
    const isInFlight = newest !== undefined && !newest.closed
    if (isInFlight && (newest.req.complete || newest.headersSent)) return
    if (isInFlight || !silence.isUnbroken) {
      if (ms > restOfRequestMs) this.refuse(requestTimeout)
    } else if (ms > (this.#hasAnswered ? nextRequestMs : firstRequestMs)) this.#close()
  }

  /** A reset, because HTTP/1.0 takes an ordinary close for the end of a response. */
  cut(): void {
    if (this.isIdle) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** Forgets what waits, and lets a listener that still waits for a body know that it will not come. */
  abandon(): void {
    this.#waiting = []
    this.#shortcut.lose()
    if (this.#current?.req.complete === false) this.#current.req.destroy()
  }

  get #newest(): ServerResponse | undefined {
    return this.#waiting.at(-1)?.res ?? this.#current
  }

  #begin(listener: RequestListener, res: ServerResponse): void {
    // an answer before it has closed the connection
    if (!this.#socket.writable) return
    this.#current = res
    this.#hasServed = true
    res.on('close', this.#forget)
    if (this.#draining === undefined) call(listener, res)
    else {
      if (this.#waiting.length === 0) res.shouldKeepAlive = false
      this.#draining.hold.then(() => this.#socket.writable && call(listener, res))
    }
  }

  /** Or else each of thousands of idle connections would keep its last request and answer until the next: some 4 KB. */
  readonly #forget = (): void => {
    if (!this.#current?.closed || !this.#current.req.complete) return
    this.#shortcut.end(this.#current.req)
    this.#current = undefined
  }

  #wait(turn: Turn): void {
    if (this.#waiting.push(turn) > 1) return
    this.#current?.once('close', this.#next)
    this.#socket.on('resume', this.#pause).pause()
  }

  /** Node itself resumes the socket after each request that it has parsed. */
  readonly #pause = (): void => void this.#socket.pause()

  readonly #next = (): void => {
    if (!this.#socket.writable) this.#waiting = []
    const turn = this.#waiting.shift()
    if (this.#waiting.length > 0) turn?.res.once('close', this.#next)
    else this.#goOnReading()
    if (turn !== undefined) this.#begin(turn.listener, turn.res)
  }

  #goOnReading(): void {
    this.#socket.off('resume', this.#pause)
    if (!this.#isDetached) this.#socket.resume()
  }

  /** Also where Node closes the connection right after that answer because the client has closed its side. */
  #refuseAfter(newest: ServerResponse, problem: Problem): void {
    // nothing follows an answer that says so
    if (newest.shouldKeepAlive) this.#refusal = problem
    newest.once('close', () => this.#refuseRaw(problem))
  }

  #refuseRaw(problem: Problem): void {
    if (this.#socket.writable) this.#socket.write(this.#refusals.raw(problem))
    this.#close()
  }

  #close(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    lingerAndClose(this.#socket, this.#isDiscarding || this.#newest?.req.complete === false)
  }
}

const ignore = (): void => {}

/** Whatever a listener throws costs its connection, not the process. */
export const call = (listener: RequestListener, res: ServerResponse): void => {
  const fail = (): void => void res.req.socket.destroy()
  try {
    const pending: unknown = listener(res.req, res)
    if (pending instanceof Promise) pending.catch(fail)
  } catch {
    fail()
  }
}

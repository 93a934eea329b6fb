import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { problem } from '../answer/problems.js'
import { noteArrival } from '../koa/observation.js'
import { call } from './connection.js'
import type { ServerLimits } from './limits.js'
import { type Refusals, requestTimeout } from './refusal.js'
import type { UnsentBytes } from './unsent-bytes.js'
import { WaitingLine } from './waiting-line.js'

/** What a server is doing, for metrics. `shed` counts the requests since its start that got 503 unread. */
export type Load = Readonly<{ inFlight: number; waiting: number; shed: number; unsentBytes: number }>

type Limits = Pick<ServerLimits, 'requests' | 'waiting' | 'waitMs'>
type Parts = Readonly<{ unsent: UnsentBytes; refusals: Refusals }>
type Arrival = Readonly<{ req: IncomingMessage; res: ServerResponse }>

/** For how long requests are begun before the event loop looks for what else has arrived, unless that took longer. */
const minMs = 10

/** A turn of the event loop that lasts longer than this begins what waits in the middle of it. */
const longMs = 50

/** How long a body may take to arrive while others wait for its place. */
const bodyMs = 2000

/** How often to look for such bodies when nobody new arrives. */
const lookMs = 250

const withBody: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Sheds requests past a limit at once, so that those within it are still answered in time. A storage in memory answers
 * without ever waiting: then the event loop is what requests wait for, unseen, as they are still in the kernel. So a turn of
 * the event loop begins requests for a while only, and what else has arrived waits here, where it is counted.
 */
export class Admission {
  readonly #listener: RequestListener
  readonly #limits: Limits
  readonly #unsent: UnsentBytes
  readonly #refusals: Refusals
  readonly #waiting = new WaitingLine<Arrival>()
  /** Since when bodies have been awaited, the oldest first. */
  readonly #receiving = new Map<ServerResponse, number>()
  /** One for all responses, as `observeClosed` is. */
  readonly #endReceiving: (this: ServerResponse) => void
  #inFlight = 0
  #shed = 0
  /** When the event loop began to handle what has arrived. */
  #turnBegan: number | undefined
  #isBeginning = false
  #latestBegin = 0
  #look: NodeJS.Timeout | undefined

  constructor(listener: RequestListener, limits: Limits, { unsent, refusals }: Parts) {
    this.#listener = listener
    this.#limits = limits
    this.#unsent = unsent
    this.#refusals = refusals
    const ended = (res: ServerResponse): void => {
      this.#receiving.delete(res)
      this.#end()
    }
    this.#endReceiving = function () {
      ended(this)
    }
  }

  get load(): Load {
    return {
      inFlight: this.#inFlight,
      waiting: this.#waiting.length,
      shed: this.#shed,
      unsentBytes: this.#unsent.total,
    }
  }

  /** The listener behind the limits. */
  readonly serve = (req: IncomingMessage, res: ServerResponse): unknown => {
    if (this.#unsent.isPastLimit) return this.#shedOne(res)
    const now = performance.now()
    const isTime = now - this.#turnOf(now) < minMs
    if (isTime && this.#waiting.length === 0 && this.#isRoom) return this.#begin(req, res, now)
    if (this.#isLineTooLong(now)) return this.#shedOne(res)
    noteArrival(res, now)
    this.#waiting.push({ req, res }, now)
    if (!this.#isRoom) this.#look ??= setInterval(this.#lookForBodies, lookMs).unref()
    return undefined
  }

  /** Refuses a request at a fraction of the cost, where it would be shed or refused anyway and is simple enough. */
  readonly shedEarly = (req: IncomingMessage): boolean => {
    const problem = this.#isFull ? overloaded : this.#refusals.foresee(req)
    if (problem === undefined || !this.#refusals.shedEarly(req, problem)) return false
    this.#shed++
    return true
  }

  get #isFull(): boolean {
    if (this.#unsent.isPastLimit) return true
    if (this.#waiting.length === 0) return false
    const now = performance.now()
    this.#turnOf(now)
    return this.#isLineTooLong(now)
  }

  #isLineTooLong(now: number): boolean {
    if (!this.#isRoom) this.#giveUpBodies(now, 1)
    const { waiting, waitMs } = this.#limits
    return this.#waiting.length >= waiting || this.#waiting.isLongerThan(waitMs, now, this.#isRoom)
  }

  get #isRoom(): boolean {
    return this.#inFlight < this.#limits.requests
  }

  #begin(req: IncomingMessage, res: ServerResponse, now: number): unknown {
    this.#inFlight++
    if (withBody.has(req.method)) this.#receive(res, now)
    else res.on('close', this.#end)
    return this.#listener(req, res)
  }

  #receive(res: ServerResponse, now: number): void {
    this.#receiving.set(res, now)
    res.on('close', this.#endReceiving)
  }

  /** Bodies that hardly arrive would otherwise keep everyone else out. The oldest go first, as many as are wanted. */
  #giveUpBodies(now: number, wanted: number): void {
    let left = wanted
    for (const [res, since] of this.#receiving) {
      if (left === 0 || now - since < bodyMs) return
      this.#receiving.delete(res)
      if (res.req.complete || res.headersSent) continue
      this.#refusals.breakOff(res, requestTimeout)
      left--
    }
  }

  readonly #lookForBodies = (): void => {
    if (!this.#isRoom) this.#giveUpBodies(performance.now(), this.#waiting.length)
    if (this.#waiting.length > 0) return
    clearInterval(this.#look)
    this.#look = undefined
  }

  readonly #end = (): void => {
    this.#inFlight--
    if (this.#waiting.length > 0 && !this.#isBeginning) this.#turnOf(performance.now())
  }

  /**
   * When this turn of the event loop began. It may last for seconds: while more than 1,024 sockets are readable at once, libuv
   * goes on reading for up to 48 rounds (`uv__io_poll`) before it does anything else.
   */
  #turnOf(now: number): number {
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now
      setImmediate(this.#endTurn)
    } else if (now - this.#turnBegan > longMs && !this.#isBeginning) {
      this.#isBeginning = true
      process.nextTick(this.#endTurn)
    }
    return this.#turnBegan
  }

  readonly #endTurn = (): void => {
    this.#refusals.sendHeld()
    const now = performance.now()
    this.#latestBegin = now + Math.max(minMs, now - (this.#turnBegan ?? now))
    this.#turnBegan = undefined
    this.#isBeginning = this.#waiting.length > 0
    if (this.#isBeginning) this.#beginWaiting()
  }

  /** Begins the oldest, and the next one when all that it does at once is done. */
  readonly #beginWaiting = (): void => {
    const now = performance.now()
    const isTime = now <= this.#latestBegin
    const next = isTime && this.#isRoom ? this.#nextWaiting(now) : undefined
    if (next === undefined) {
      this.#isBeginning = false
      if (!isTime) this.#turnOf(now)
      return
    }
    queueMicrotask(() => process.nextTick(this.#beginWaiting))
    // the answers before it may have been large
    if (this.#unsent.isPastLimit) this.#shedOne(next.res)
    else call(() => this.#begin(next.req, next.res, now), next.res)
  }

  /** The oldest whose client is still there. */
  #nextWaiting(now: number): Arrival | undefined {
    let next = this.#waiting.take(now)
    while (next?.res.closed) {
      const { headersSent, statusCode } = next.res
      this.#refusals.observe(next.res, headersSent ? statusCode : undefined, 0)
      next = this.#waiting.take(now)
    }
    return next
  }

  #shedOne(res: ServerResponse): void {
    this.#shed++
    this.#refusals.shed(res, overloaded)
  }
}

export const overloaded = problem('overloaded', { headers: { 'Retry-After': '1' } })

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { problem } from '../answer/problems.js'
import type { ServerLimits } from './limits.js'
import { answerWith } from './refusal.js'
import type { UnsentBytes } from './unsent-bytes.js'
import { WaitingLine } from './waiting-line.js'

/** What a server is doing, for metrics. `shed` counts the requests since its start that got 503 because of a limit. */
export type Load = Readonly<{ inFlight: number; waiting: number; shed: number; unsentBytes: number }>

type Limits = Pick<ServerLimits, 'requests' | 'waiting' | 'waitMs'>
type Arrival = Readonly<{ req: IncomingMessage; res: ServerResponse }>

/** For how long requests are begun before the event loop looks for what else has arrived. */
const leastMs = 10

/** Reading and refusing requests may take a fifth of the time, so that the rest is left for those that were admitted. */
const servingShare = 4

/**
 * Sheds requests past a limit at once, so that those within it are still answered in time. A storage in memory answers
 * without ever waiting: then the event loop is what requests wait for, unseen, as they are still in the kernel. So a turn of
 * the event loop begins requests for a while only, and what else has arrived waits here, where it is counted.
 */
export class Admission {
  readonly #listener: RequestListener
  readonly #limits: Limits
  readonly #unsent: UnsentBytes
  readonly #waiting = new WaitingLine<Arrival>()
  #inFlight = 0
  #shed = 0
  /** When the event loop began to handle what has arrived. */
  #turnBegan: number | undefined
  #latestBegin = 0

  constructor(listener: RequestListener, limits: Limits, unsent: UnsentBytes) {
    this.#listener = listener
    this.#limits = limits
    this.#unsent = unsent
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
    const isTime = now - this.#turnOf(now) < leastMs
    if (isTime && this.#waiting.length === 0 && this.#isRoom) return this.#begin(req, res)
    const { waiting, waitMs } = this.#limits
    if (this.#waiting.length >= waiting || this.#waiting.isLongerThan(waitMs, now)) return this.#shedOne(res)
    return this.#waiting.push({ req, res }, now)
  }

  get #isRoom(): boolean {
    return this.#inFlight < this.#limits.requests
  }

  #begin(req: IncomingMessage, res: ServerResponse): unknown {
    this.#inFlight++
    res.once('close', this.#end)
    return this.#listener(req, res)
  }

  readonly #end = (): void => {
    this.#inFlight--
    if (this.#waiting.length > 0) this.#turnOf(performance.now())
  }

  /** When this turn of the event loop began. */
  #turnOf(now: number): number {
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now
      setImmediate(this.#endTurn)
    }
    return this.#turnBegan
  }

  readonly #endTurn = (): void => {
    const now = performance.now()
    this.#latestBegin = now + Math.max(leastMs, servingShare * (now - (this.#turnBegan ?? now)))
    this.#turnBegan = undefined
    if (this.#waiting.length > 0) this.#beginWaiting()
  }

  /** Begins the oldest, and the next one when all that it does at once is done. */
  readonly #beginWaiting = (): void => {
    const now = performance.now()
    if (now > this.#latestBegin) return void this.#turnOf(now)
    const next = this.#isRoom ? this.#nextWaiting(now) : undefined
    if (next === undefined) return
    queueMicrotask(() => process.nextTick(this.#beginWaiting))
    this.#begin(next.req, next.res)
  }

  /** The oldest whose client is still there. */
  #nextWaiting(now: number): Arrival | undefined {
    let next = this.#waiting.take(now)
    while (next?.res.closed) next = this.#waiting.take(now)
    return next
  }

  #shedOne(res: ServerResponse): void {
    this.#shed++
    answerWith(res, overloaded)
  }
}

export const overloaded = problem('overloaded', { headers: { 'Retry-After': '1' } })

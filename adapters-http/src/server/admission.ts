import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { problem } from '../answer/problems.js'
import type { ServerLimits } from './limits.js'
import { answerWith } from './refusal.js'
import type { UnsentBytes } from './unsent-bytes.js'

/** What a server is doing, for metrics. `shed` counts the requests since its start that got 503 because of a limit. */
export type Load = Readonly<{ inFlight: number; waiting: number; shed: number; unsentBytes: number }>

type Turn = Readonly<{ req: IncomingMessage; res: ServerResponse }>

/** Sheds requests past a limit at once, so that those within it are still answered in time. */
export class Admission {
  readonly #limits: Pick<ServerLimits, 'requests' | 'waiting'>
  readonly #unsent: UnsentBytes
  readonly #waiting: Turn[] = []
  #inFlight = 0
  #shed = 0

  constructor(limits: Pick<ServerLimits, 'requests' | 'waiting'>, unsent: UnsentBytes) {
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
  guard(listener: RequestListener): RequestListener {
    const begin = ({ req, res }: Turn): unknown => {
      this.#inFlight++
      res.once('close', end)
      return listener(req, res)
    }
    const end = (): void => {
      this.#inFlight--
      const next = this.#nextWaiting()
      if (next !== undefined) begin(next)
    }
    return (req, res) => {
      if (this.#unsent.isPastLimit) return this.#shedOne(res)
      if (this.#inFlight < this.#limits.requests) return begin({ req, res })
      if (this.#waiting.length >= this.#limits.waiting) return this.#shedOne(res)
      return this.#waiting.push({ req, res })
    }
  }

  /** The oldest whose client is still there. */
  #nextWaiting(): Turn | undefined {
    let turn = this.#waiting.shift()
    while (turn?.res.closed) turn = this.#waiting.shift()
    return turn
  }

  #shedOne(res: ServerResponse): void {
    this.#shed++
    answerWith(res, overloaded)
  }
}

export const overloaded = problem('overloaded', { headers: { 'Retry-After': '1' } })

import type { Attempt } from './attempt.js'
import type { Deadlines } from './deadlines.js'
import { budgetBeside, type InTime, storageClosed, tooManyWait } from './in-time.js'

/**
 * When the oldest has less time left, there are more operations than can be done in time: the newest is likeliest to be.
 * After a pause of the database there may be time for all, so it is not much more than one operation may take.
 */
const behindMs = 500

/** So many may wait whatever those before them took: a short outage is waited out, and they cost little. */
const shortQueue = 250

/** One that takes longer is slow: perhaps because of the others, perhaps because the database is far away. */
const slowMs = 500

/** Two, so that the reply that never comes does not keep the next from being asked. */
const leastAtATime = 2

/** What one more operation counts for in the average. */
const weight = 1 / 16

type Waiting = Readonly<{ attempt: Attempt; begin: () => void; refuse: (cause: Error) => void }>

type Turn = { readonly begunAt: number; isAnswered: boolean }

/**
 * Bounds how many operations the driver has at a time. Its own queue would be searched from the start for every operation
 * that gives up, which takes seconds when thousands wait.
 *
 * The bound is TCP's: it falls by half when operations time out, and rises by one with each that is answered soon, or with
 * all that are slow together. A slow database goes on with what nobody waits for any more: with too many at a time it would
 * answer none in time.
 */
export class Turns {
  readonly #waiting: Waiting[] = []
  readonly #most: number
  #atATime: number
  #underWay = 0
  #isClosed = false
  #halvedAt = 0
  /** Milliseconds of a turn, on average. */
  #took = 0

  constructor(most: number) {
    this.#most = most
    this.#atATime = most
  }

  /** Works when it is this attempt's turn, and never when that would be too late. The turn ends with the attempt. */
  async give<A>(attempt: Attempt, work: () => Promise<A>): Promise<A> {
    if (this.#isClosed) throw storageClosed
    const turn = this.#isRoom ? this.#begin(attempt) : await this.#inLine(attempt)
    const result = await work()
    turn.isAnswered = true
    return result
  }

  /** Refuses all that wait or come later. While the driver closes, it would still send what begins. */
  close(): void {
    this.#isClosed = true
    for (const { refuse } of this.#waiting.splice(0)) refuse(storageClosed)
  }

  get #isRoom(): boolean {
    return this.#underWay < this.#atATime
  }

  /** Whether an attempt that has this much time left would be refused. */
  isFullFor(msLeft: number): boolean {
    this.#dropLate()
    const { length } = this.#waiting
    return length >= shortQueue && (length / this.#atATime + 1) * this.#took > msLeft
  }

  #inLine(attempt: Attempt): Promise<Turn> {
    if (this.isFullFor(attempt.msLeft)) return Promise.reject(tooManyWait)
    return new Promise((resolve, refuse) => {
      this.#waiting.push({ attempt, begin: () => resolve(this.#begin(attempt)), refuse })
    })
  }

  #begin(attempt: Attempt): Turn {
    const turn = { begunAt: performance.now(), isAnswered: false }
    this.#underWay++
    attempt.whenOver(() => this.#end(turn))
    return turn
  }

  #end({ begunAt, isAnswered }: Turn): void {
    const now = performance.now()
    const ms = now - begunAt
    this.#underWay--
    this.#took += (ms - this.#took) * weight
    const isSlow = ms > slowMs
    if (isAnswered) this.#atATime = Math.min(this.#most, this.#atATime + (isSlow ? 1 / this.#atATime : 1))
    // once for all that were under way at a time
    else if (isSlow && begunAt >= this.#halvedAt) {
      this.#halvedAt = now
      this.#atATime = Math.max(Math.min(leastAtATime, this.#most), this.#atATime / 2)
    }
    while (this.#isRoom && this.#beginNext());
  }

  #beginNext(): boolean {
    this.#dropLate()
    const [oldest] = this.#waiting
    if (oldest === undefined) return false
    const next = oldest.attempt.msLeft < behindMs ? this.#takeNewest() : this.#waiting.shift()
    next?.begin()
    return next !== undefined
  }

  /** Of those that had less time than the oldest, some may be late already. */
  #takeNewest(): Waiting | undefined {
    let newest = this.#waiting.pop()
    while (newest?.attempt.isTooLate()) newest = this.#waiting.pop()
    return newest
  }

  /** Their deadlines answer them. Nearly all have the same time, so those that arrived first are late first. */
  #dropLate(): void {
    if (!this.#waiting[0]?.attempt.isTooLate()) return
    const first = this.#waiting.findIndex(({ attempt }) => !attempt.isTooLate())
    this.#waiting.splice(0, first < 0 ? this.#waiting.length : first)
  }
}

/** Whether one more operation would be refused at once. */
export const wouldRefuse = (deadlines: Deadlines, turns: Turns): boolean => {
  deadlines.checkNowAndThen()
  const budget = budgetBeside(deadlines.size)
  return budget === undefined || turns.isFullFor(budget)
}

export const inTurns =
  (inTime: InTime, turns: Turns): InTime =>
  run =>
    inTime(attempt => turns.give(attempt, () => run(attempt)))

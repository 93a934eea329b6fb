import type { Attempt } from './attempt.js'
import type { InTime } from './in-time.js'

/**
 * When the oldest has less time left, there are more operations than can be done in time: the newest is likeliest to be.
 * After a pause of the database there may be time for all, so it is not much more than one operation may take.
 */
const behindMs = 500

type Waiting = Readonly<{ attempt: Attempt; begin: () => void }>

/**
 * Bounds how many operations the driver has at a time. Its own queue would be searched from the start for every operation
 * that gives up, which takes seconds when thousands wait.
 */
export class Turns {
  readonly #waiting: Waiting[] = []
  #free: number

  constructor(atATime: number) {
    this.#free = atATime
  }

  /** Resolves when it is this attempt's turn, and never when that would be too late. The turn ends with the attempt. */
  next(attempt: Attempt): Promise<void> {
    if (this.#free > 0) return Promise.resolve(this.#begin(attempt))
    this.#dropLate()
    return new Promise(begin => this.#waiting.push({ attempt, begin }))
  }

  #begin(attempt: Attempt): void {
    this.#free--
    attempt.whenOver(() => {
      this.#free++
      this.#beginNext()
    })
  }

  #beginNext(): void {
    this.#dropLate()
    const [oldest] = this.#waiting
    if (oldest === undefined) return
    const next = oldest.attempt.msLeft < behindMs ? this.#takeNewest() : this.#waiting.shift()
    if (next === undefined) return
    this.#begin(next.attempt)
    next.begin()
  }

  /** Of those that had less time than the oldest, some may be late already. */
  #takeNewest(): Waiting | undefined {
    let newest = this.#waiting.pop()
    while (newest?.attempt.isTooLate()) newest = this.#waiting.pop()
    return newest
  }

  /** Their deadlines answer them. Nearly all have the same time, so those that arrived first are late first. */
  #dropLate(): void {
    const first = this.#waiting.findIndex(({ attempt }) => !attempt.isTooLate())
    if (first !== 0) this.#waiting.splice(0, first < 0 ? this.#waiting.length : first)
  }
}

export const inTurns =
  (inTime: InTime, turns: Turns): InTime =>
  run =>
    inTime(async attempt => {
      await turns.next(attempt)
      return run(attempt)
    })

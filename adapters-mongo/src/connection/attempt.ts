import type { Unavailable } from '@snippets/domain/errors.js'

/** Every operation is answered within this time. The rest of a request's 2 s is for what happens outside of the storage. */
export const budgetMs = 1800

/** The same while the service is busy: a request may then have waited half a second before its operation begins. */
export const busyBudgetMs = 1300

/** With less time than this left, an operation is not begun: its answer would hardly be in time. */
const minMs = 100

/** A write that the driver has been given, for one attempt or for several. */
export type Write = Readonly<{
  /** False when it has not been sent and never will be. */
  mayBeApplied: () => boolean
  /** Keeps it from being sent, if that is still possible and all of its attempts are over. */
  drop: () => void
}>

/** One caller's operation: what may have become of its write so far, and whether the caller still waits for an answer. */
export class Attempt {
  readonly #deadline: number
  #write: Write | undefined
  #isOver = false
  #onEnd: () => void = () => {}

  constructor(budget = budgetMs) {
    this.#deadline = performance.now() + budget
  }

  /** What the caller is to be told when the database gives no answer. */
  get outcome(): Unavailable['outcome'] {
    return this.#write?.mayBeApplied() ? 'unknown' : 'unapplied'
  }

  /** The driver has been given the write. */
  sends(write: Write): void {
    this.#write = write
  }

  /** It is certain that nothing was written. */
  notApplied(): void {
    this.#write = undefined
  }

  /** The caller has been answered. Nothing may be written on its behalf any more. */
  isOver(): boolean {
    return this.#isOver
  }

  get msLeft(): number {
    return this.#deadline - performance.now()
  }

  /** It is over, or nearly so. */
  isTooLate(): boolean {
    return this.#isOver || this.msLeft < minMs
  }

  end(): void {
    this.#isOver = true
    this.#write?.drop()
    this.#onEnd()
  }

  whenOver(onEnd: () => void): void {
    if (this.#isOver) onEnd()
    else this.#onEnd = onEnd
  }
}

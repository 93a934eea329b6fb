import type { Unavailable } from '@snippets/domain/errors.js'

/** One caller's operation: what may have become of its write so far, and whether the caller still waits for an answer. */
export class Attempt {
  #outcome: Unavailable['outcome'] = 'unapplied'
  #isOver = false

  /** What the caller is to be told when the database gives no answer. */
  get outcome(): Unavailable['outcome'] {
    return this.#outcome
  }

  /** The write is on its way: whether it is applied is unknown until the database answers. */
  sent(): void {
    this.#outcome = 'unknown'
  }

  /** It is certain that nothing was written. */
  notApplied(): void {
    this.#outcome = 'unapplied'
  }

  /** The caller has been told that time is up. Nothing may be written on its behalf any more. */
  isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }
}

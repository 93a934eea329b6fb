import { type FirstCreation, isExpired } from '@snippets/domain/retry-key.js'
import type { Instant } from '@snippets/domain/snippet.js'

/** How many bytes of heap a key takes at the most: itself, a fingerprint, an id, and its place in the map. */
export const keyBytes = 1024

/** The keys of the last day. */
export class RetryKeys {
  /** Nearly in the order of their time, so that those that have expired come first. */
  readonly #firsts = new Map<string, FirstCreation>()

  get bytes(): number {
    return this.#firsts.size * keyBytes
  }

  /** Whether it has expired or not. */
  get(key: string): FirstCreation | undefined {
    return this.#firsts.get(key)
  }

  add(key: string, first: FirstCreation): void {
    this.#firsts.set(key, first)
  }

  forget(key: string): void {
    this.#firsts.delete(key)
  }

  *expired(now: Instant): Generator<string> {
    for (const [key, first] of this.#firsts) {
      if (!isExpired(first, now)) return
      yield key
    }
  }

  forgetExpired(now: Instant): void {
    if (this.#firsts.size === 0) return
    for (const key of this.expired(now)) this.forget(key)
  }
}

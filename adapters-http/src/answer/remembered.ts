import type { Snippet } from '@snippets/domain/snippet.js'
import type { Shown } from './answer.js'

class Itself {
  constructor(snippet: Snippet) {
    // biome-ignore lint/correctness/noConstructorReturn: a class that extends this one adds its private field to the snippet
    return snippet
  }
}

/**
 * Keeps what is shown of a snippet in a private field of it, which nobody else sees and no copy of the snippet has. A WeakMap
 * does the same, but takes a tenth of a creation: it hashes, grows, and the collector looks through all of it.
 */
export class Remembered extends Itself {
  readonly #shown: Shown

  private constructor(snippet: Snippet, shown: Shown) {
    super(snippet)
    this.#shown = shown
  }

  static set(snippet: Snippet, shown: Shown): void {
    new Remembered(snippet, shown)
  }

  static get(snippet: object): Shown | undefined {
    return #shown in snippet ? snippet.#shown : undefined
  }
}

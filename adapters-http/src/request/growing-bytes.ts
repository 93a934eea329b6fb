/** Memory is asked for in steps of this size. */
const step = 16 * 1024

/**
 * Bytes that grow in place. A large body would be copied to be joined, and what it takes is as a rule freed only when V8
 * collects garbage: many that end together would need three times their size. These are given back at once.
 */
export class GrowingBytes {
  readonly #memory: ArrayBuffer
  #view: Uint8Array
  #length = 0

  constructor(most: number) {
    // only address space, as far as it is not used
    this.#memory = new ArrayBuffer(0, { maxByteLength: most })
    this.#view = new Uint8Array(this.#memory)
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (length > this.#memory.byteLength)
      this.#memory.resize(Math.min(Math.ceil(length / step) * step, this.#memory.maxByteLength))
    this.#view.set(bytes, this.#length)
    this.#length = length
  }

  /** Valid until they are freed. */
  all(): Buffer {
    return Buffer.from(this.#memory, 0, this.#length)
  }

  free(): void {
    this.#memory.resize(0)
  }
}

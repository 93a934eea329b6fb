import type { Socket } from 'node:net'

/** Measures how long nothing has been read from a socket. */
export class Silence {
  readonly #socket: Socket
  readonly #bytesBefore: number
  #bytes: number
  #since = performance.now()

  constructor(socket: Socket) {
    this.#socket = socket
    this.#bytesBefore = this.#bytes = socket.bytesRead
  }

  /** Whether anything at all was read since this was made. */
  get isUnbroken(): boolean {
    return this.#socket.bytesRead === this.#bytesBefore
  }

  /** As precise as the calls are frequent. */
  ms(): number {
    const now = performance.now()
    if (this.#socket.bytesRead !== this.#bytes) {
      this.#bytes = this.#socket.bytesRead
      this.#since = now
    }
    return now - this.#since
  }
}

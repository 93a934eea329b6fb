import { IncomingMessage } from 'node:http'

/** A chunked body may have this many chunks more than one for each 128 bytes. */
const maxSmallChunks = 256

/**
 * Returns a class of requests that reports a body of too many chunks, and drops the rest of it. At twice the limit, it
 * closes the connection. Node emits all chunks of a packet at once, and each takes hundreds of bytes of memory.
 */
export const createChunkLimitedMessage = (onTooMany: (req: IncomingMessage) => void): typeof IncomingMessage =>
  class extends IncomingMessage {
    #chunks = 0
    #bytes = 0
    #isDropping = false

    override push(chunk: Buffer | null): boolean {
      // without a transfer coding, Node emits one chunk for each packet
      if (this.headers['transfer-encoding'] === undefined) return super.push(chunk)
      this.#chunks++
      this.#bytes += chunk?.length ?? 0
      const max = maxSmallChunks + this.#bytes / 128
      if (this.#chunks <= max && !this.#isDropping) return super.push(chunk)
      if (!this.#isDropping) onTooMany(this)
      // drops the end too, because the truncated body could be valid JSON
      this.#isDropping = true
      if (this.#chunks > 2 * max) this.destroy()
      return true
    }
  }

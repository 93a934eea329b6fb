import type { IncomingMessage } from 'node:http'
import { type BodySink, GatheredRequest } from '../server/gathered-request.js'

/** The whole body in one piece, or why there is none. */
export type WholeBody = Buffer | 'too large' | 'incomplete'

/** Reads a body, but no more than this of it. */
export const wholeBody = (req: IncomingMessage, maxBytes: number): Promise<WholeBody> =>
  new Promise(resolve => {
    const collector = new Collector(maxBytes, resolve)
    if (!req.readable) collector.lose()
    else if (req instanceof GatheredRequest) req.divert(collector)
    else readInto(collector, req)
  })

class Collector implements BodySink {
  readonly #maxBytes: number
  readonly #settle: (body: WholeBody) => void
  #pieces: Buffer[] = []
  #length = 0

  constructor(maxBytes: number, settle: (body: WholeBody) => void) {
    this.#maxBytes = maxBytes
    this.#settle = settle
  }

  take(piece: Buffer): boolean {
    this.#length += piece.length
    if (this.#length <= this.#maxBytes) return this.#pieces.push(piece) > 0
    this.#pieces = []
    this.#settle('too large')
    return false
  }

  end(): void {
    const [first] = this.#pieces
    // a usual body arrives in one piece
    this.#settle(first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces))
  }

  lose(): void {
    this.#settle('incomplete')
  }
}

/** For a request of another server than `listen` starts. */
const readInto = (collector: Collector, req: IncomingMessage): void => {
  const take = (piece: Buffer): void => {
    if (!collector.take(piece)) req.off('data', take).pause()
  }
  req
    .on('data', take)
    .once('end', () => collector.end())
    .once('close', () => collector.lose())
}

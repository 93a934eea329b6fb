// A long response consists of pieces. A piece is made only when the client has read the earlier pieces, so a slow
// client holds one piece instead of the whole body. `LongResponses` limits the memory of lists and pages together: each
// reserves the memory behind its pieces before it begins, and releases it when it closes. At the limit, a new response
// closes the response whose client has stopped reading for the longest time. If every client is reading, the new
// response is rejected. A backup reserves nothing, because only one runs at a time. All long responses and long request
// bodies share one sequence of exclusive turns, so that the event loop serves other requests between two pieces.

import type { ServerResponse } from 'node:http'
import { finished, Readable } from 'node:stream'
import { Budget } from './budget.js'
import type { ExclusiveTurn } from './exclusive-turn.js'
import { closeSocket } from './rejecter.js'

type PieceSource = AsyncIterable<string | Uint8Array>

/** The limit on the memory of long responses. */
export class LongResponses {
  readonly #budget: Budget<ServerResponse>
  readonly #exclusiveTurn: ExclusiveTurn

  constructor(limit: number, exclusiveTurn: ExclusiveTurn) {
    this.#budget = new Budget(limit, {
      candidates: [res => res.writableNeedDrain],
      evict: res => closeSocket(res.req.socket),
    })
    this.#exclusiveTurn = exclusiveTurn
  }

  get evictedCount(): number {
    return this.#budget.evictedCount
  }

  /** Reserves memory for what is behind the pieces of a response. Returns false if there is not enough. */
  reserve(res: ServerResponse, bytes: number): boolean {
    if (!this.#budget.reserve(res, bytes)) return false
    // `finished` calls back even if the client has already left
    finished(res, () => this.#budget.release(res))
    return true
  }

  stream(res: ServerResponse, pieces: PieceSource): Readable {
    // Node warns of more than ten listeners, and piping a stream adds most of them
    res.setMaxListeners(20).on('drain', () => this.#budget.markActive(res))
    return streamOf(pieces, this.#exclusiveTurn)
  }
}

/** Returns a stream that buffers no piece, unlike `Readable.from`. */
const streamOf = (pieces: PieceSource, exclusiveTurn: ExclusiveTurn): Readable => {
  const source = pieces[Symbol.asyncIterator]()
  return new Readable({
    highWaterMark: 0,
    read() {
      exclusiveTurn()
        .then(() => source.next())
        .then(
          ({ done, value }) => this.push(done ? null : value),
          (error: Error) => this.destroy(error),
        )
    },
    destroy(error, done) {
      Promise.resolve(source.return?.()).then(() => done(error), done)
    },
  })
}

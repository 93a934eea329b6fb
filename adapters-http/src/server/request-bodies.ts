import { IncomingMessage, type ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import type { Budget } from './budget.js'
import type { ExclusiveTurn } from './exclusive-turn.js'
import { maxBodyBytes } from './limits.js'

/** Bytes of memory that a chunk or packet takes beyond its content. */
const bytesPerChunk = 600

/** A body up to this size does not count towards the limit. Each connection may hold one such body. */
const uncountedBytes = 8 * 1024

/** A longer body is parsed in a turn of its own, because parsing may block the event loop for milliseconds. */
const maxInlineParseBytes = 16 * 1024

/** The reasons why a body was not received. */
export type BodyFailure = 'too large' | 'incomplete' | 'no memory'

export type ReceiveBody = (ctx: Context) => Promise<E.Either<BodyFailure, Buffer>>

// Without an encoding, koa-bodyparser returns the bytes of any type as they are. Its types lack this option, so the
// object is not a literal argument.
const options = {
  enableTypes: ['text'],
  extendTypes: { text: ['*/*'] },
  textLimit: String(maxBodyBytes),
  encoding: null,
}
const setRawBody = bodyParser(options)

/**
 * Returns a function that receives bodies. The bytes of a long body count towards the budget until the response ends,
 * as its handler still uses the body.
 */
export const createBodyReceiver =
  (budget: Budget<ServerResponse>, exclusiveTurn: ExclusiveTurn): ReceiveBody =>
  async ctx => {
    const body = await receive(ctx, budget)
    if (E.isRight(body) && body.right.length > maxInlineParseBytes) await exclusiveTurn()
    return body
  }

/**
 * Receives the body. If `Connections` has responded in place of the handler, a failure leaves the promise pending, so
 * that the handler sends no second response.
 */
const receive = (ctx: Context, budget: Budget<ServerResponse>): ReturnType<ReceiveBody> =>
  new Promise((resolve, reject) => {
    const { req, res, request } = ctx
    let size = 0
    /** Discards the received part of the body and the rest, so that the connection can be reused. */
    const discard = (): void => {
      req.off('data', count)
      // raw-body, which koa-bodyparser uses, stops collecting at this event
      req.emit('aborted')
      req.resume()
    }
    const end = (failure: BodyFailure): void => {
      discard()
      resolve(E.left(failure))
    }
    const count = ({ length }: Buffer): void => {
      size += length + bytesPerChunk
      if (size > uncountedBytes && !budget.reserve(res, size)) end('no memory')
    }
    req.on('data', count)
    res.once('close', () => {
      // a body may go on after an early response
      discard()
      budget.release(res)
    })
    setRawBody(ctx, async () => {}).then(
      () => resolve(E.right(request.rawBody instanceof Buffer ? request.rawBody : Buffer.alloc(0))),
      (error: object) => {
        // errors of koa-bodyparser have a status
        if (!('status' in error)) reject(error)
        else if (!res.headersSent) end(error.status === 413 ? 'too large' : 'incomplete')
      },
    )
  })

/** A chunked body may have one chunk for each 128 bytes, and this many more. */
const maxSmallChunks = 256

/**
 * Returns a class of requests that reports a body of too many chunks, and drops the rest of it. At four times the
 * limit, it closes the connection. Node emits all chunks of a packet at once, and each takes hundreds of bytes of
 * memory.
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
      if (this.#chunks > 4 * max) this.destroy()
      return true
    }
  }

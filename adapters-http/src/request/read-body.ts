import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import type { ByteBudget } from '../load/byte-budget.js'
import { turnQueue } from '../load/turn-queue.js'
import { badRequest, overloadProblem, type Problem, problem, retryAfter } from '../response/problems.js'

/** The maximum number of buffers in which Node receives a body, whether or not its transfer coding is chunked. */
const maxChunks = 4096

/** Bytes of memory that a chunk takes beyond its content. */
const bytesPerChunk = 600

/** A body up to this size is read even if the budget is used up. Memory holds such a body on every connection. */
const smallBodyBytes = 8 * 1024

/** A longer body is parsed in a turn of its own, because parsing may block the event loop for milliseconds. */
const maxShortBytes = 16 * 1024

/** All bodies share one queue of turns. */
const ownTurn = turnQueue()

export type BodyLimits = Readonly<{ maxBytes: number; budget: ByteBudget }>

/** Returns a function that reads a body within the limits. Bodies hold their bytes until the response has ended. */
export const bodyReader = ({ maxBytes, budget }: BodyLimits): ((ctx: Context) => TaskEither<Problem, Buffer>) => {
  // without an encoding, koa-bodyparser returns the bytes of any type as they are
  const options = { enableTypes: ['text'], extendTypes: { text: ['*/*'] }, textLimit: String(maxBytes), encoding: null }
  const parseBody = bodyParser(options)
  const tooLarge = problem('body-too-large', { detail: `A body may have at most ${maxBytes} bytes.` })

  const bytesOf = async (ctx: Context): Promise<E.Either<Problem, Buffer>> => {
    try {
      await parseBody(ctx, async () => {})
    } catch (error) {
      // errors of koa-bodyparser have a status
      if (!(error instanceof Error && 'status' in error)) throw error
      return E.left(error.status === 413 ? tooLarge : endedEarly)
    }
    const { rawBody } = ctx.request
    const bytes = rawBody instanceof Buffer ? rawBody : Buffer.alloc(0)
    if (bytes.length > maxShortBytes) await ownTurn()
    return E.right(bytes)
  }

  return ctx => () =>
    // stays pending if the server has responded to a malformed or late body, because koa-bodyparser does
    new Promise((resolve, reject) => {
      const { req, res } = ctx
      if (Number(req.headers['content-length'] ?? 0) > maxBytes) return resolve(E.left(tooLarge))
      let chunks = 0
      let taken = 0
      const end = (result: E.Either<Problem, Buffer>): void => {
        req.off('data', count)
        // discards the rest of the body, so that the connection can be reused
        req.resume()
        resolve(result)
      }
      const count = (chunk: Buffer): void => {
        const bytes = chunk.length + bytesPerChunk
        taken += bytes
        budget.take(bytes)
        if (++chunks > maxChunks) end(E.left(tooManyChunks))
        else if (budget.taken() > budget.maxBytes && taken > smallBodyBytes) end(E.left(tooManyBytes))
      }
      req.on('data', count)
      res.once('close', () => budget.release(taken))
      bytesOf(ctx).then(end, reject)
    })
}

const endedEarly = badRequest('The body ended early or could not be read.')
const tooManyChunks = problem('body-too-large', {
  detail: `The body arrived in more than ${maxChunks} chunks or packets. Send it in larger ones.`,
  headers: { Connection: 'close' },
})

const tooManyBytes: Problem = {
  ...overloadProblem('MAX_BODIES_MB', {
    detail: 'The bodies of all requests are too large together. Nothing was written. Try again.',
  }),
  headers: { ...retryAfter, Connection: 'close' },
}

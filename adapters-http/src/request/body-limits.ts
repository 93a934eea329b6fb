import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import type { ByteBudget } from '../load/byte-budget.js'
import { badRequest, malformedBody, overloadProblem, type Problem, problem, retryAfter } from '../response/problems.js'

/** The maximum number of buffers in which Node receives a body, whether or not its transfer coding is chunked. */
const maxChunks = 4096

/** Bytes of heap that a chunk takes beyond its content. */
const bytesPerChunk = 128

/** A body up to this size is read even if the budget is used up: one on every connection fits into memory. */
const smallBodyBytes = 8 * 1024

/**
 * Reads and parses a body. Returns a problem if a step fails, the body is not UTF-8, or it exceeds a limit that
 * koa-bodyparser does not enforce.
 */
export const parseWithinLimits = async (
  budget: ByteBudget,
  { req, res }: Context,
  read: TE.TaskEither<Problem, string>,
  parse: (text: string) => TE.TaskEither<Problem, unknown>,
): Promise<E.Either<Problem, unknown>> => {
  let chunks: Buffer[] = []
  let count = 0
  let taken = 0
  let rejectWith = (_problem: Problem): void => {}
  const rejection = new Promise<E.Either<Problem, never>>(resolve => {
    rejectWith = problem => resolve(E.left(problem))
  })
  const take = (chunk: Buffer): void => {
    chunks.push(chunk)
    // many small buffers take more memory than a large one
    if (chunks.length > 16) chunks = [Buffer.concat(chunks)]
    const bytes = chunk.length + bytesPerChunk
    taken += bytes
    budget.take(bytes)
    if (++count > maxChunks) rejectWith(tooManyChunks)
    else if (budget.taken() > budget.maxBytes && taken > smallBodyBytes) rejectWith(tooManyBytes)
  }
  const endEarly = (): void => rejectWith(endedEarly)
  req.on('data', take)
  // after the server has rejected a malformed or late body, the parser would wait for the rest forever
  res.once('close', endEarly)
  try {
    const parsed = pipe(
      read,
      TE.chain(text => (isUtf8(Buffer.concat(chunks)) ? parse(text) : TE.left(notUtf8))),
    )
    return await Promise.race([rejection, parsed()])
  } finally {
    req.off('data', take)
    res.off('close', endEarly)
    budget.release(taken)
    // discards the rest of the body, so that the connection can be reused
    req.resume()
  }
}

export const endedEarly = badRequest('The body ended early or could not be read.')
const notUtf8 = malformedBody('encoding', 'The body is not UTF-8')
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

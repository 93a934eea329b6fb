import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'
import type { Budget } from '../load/budget.js'
import { nextExclusiveTurn } from '../load/exclusive-turn.js'
import { badRequest, makeProblem, overloadProblem, type Problem, retryAfter } from '../response/problems.js'

/** Holds a snippet with every character escaped. */
export const maxBodyBytes = 256 * 1024

/** Bytes of memory that a chunk or packet takes beyond its content. */
const bytesPerChunk = 600

/** A body up to this size does not count towards the limit: there is memory for one on each connection. */
const uncountedBytes = 8 * 1024

/** A longer body is parsed in a turn of its own, because parsing may block the event loop for milliseconds. */
const maxInlineParseBytes = 16 * 1024

/** The bytes of longer bodies. They count until the response ends, as its handler still uses the body. */
export type BodyBytes = Budget<ServerResponse>

export type ReceiveBody = (ctx: Context, mediaTypes: readonly string[]) => Promise<Problem | undefined>

// without an encoding, koa-bodyparser returns the bytes of any type as they are
const options = {
  enableTypes: ['text'],
  extendTypes: { text: ['*/*'] },
  textLimit: String(maxBodyBytes),
  encoding: null,
}
const parseBody = bodyParser(options)

/** Returns a function that receives a body of one of the media types as bytes, in `ctx.request.rawBody`. */
export const bodyReceiver =
  (bodyBytes: BodyBytes): ReceiveBody =>
  async (ctx, mediaTypes) => {
    const problem = mediaTypeProblem(ctx, mediaTypes) ?? (await receive(ctx, bodyBytes))
    const { rawBody } = ctx.request
    if (rawBody instanceof Buffer && rawBody.length > maxInlineParseBytes) await nextExclusiveTurn()
    return problem
  }

/** Never settles if the server has responded to a malformed or late body, as koa-bodyparser does not settle either. */
const receive = (ctx: Context, bodyBytes: BodyBytes): Promise<Problem | undefined> =>
  new Promise((resolve, reject) => {
    const { req, res } = ctx
    let [size, reserved] = [0, 0]
    const end = (problem: Problem): void => {
      req.off('data', count)
      // discards the rest of the body, so that the connection can be reused
      req.resume()
      resolve(problem)
    }
    const count = ({ length }: Buffer): void => {
      size += length + bytesPerChunk
      const isLong = size > uncountedBytes
      if (isLong && !bodyBytes.reserve(res, size - reserved)) end(tooManyBytes)
      else if (isLong) reserved = size
    }
    req.on('data', count)
    res.once('close', () => {
      // a body may go on after an early response
      req.off('data', count)
      bodyBytes.release(res)
    })
    parseBody(ctx, async () => {}).then(
      () => resolve(undefined),
      // errors of koa-bodyparser have a status
      (error: object) => ('status' in error ? end(error.status === 413 ? tooLarge : endedEarly) : reject(error)),
    )
  })

const tooLarge = makeProblem('body-too-large', { detail: `A body may have at most ${maxBodyBytes} bytes.` })
const endedEarly = badRequest('The body ended early or could not be read.')
const tooManyBytes = overloadProblem('MAX_BODIES_MB', {
  detail: 'The bodies of all requests are too large together. Nothing was written. Try again.',
  headers: { ...retryAfter, Connection: 'close' },
})

/** Returns the problem of an unsupported Content-Type or Content-Encoding. */
const mediaTypeProblem = ({ req: { method = '', headers } }: Context, accepted: readonly string[]) => {
  const { 'content-type': contentType = '', 'content-encoding': encoding } = headers
  if (encoding !== undefined) return encodedBody
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (accepted.includes(type.trim()) && parameters.every(isAcceptedParameter)) return undefined
  return makeProblem('unsupported-media-type', {
    detail: `The Content-Type must be ${accepted.join(' or ')}, in UTF-8.`,
    headers: { [acceptHeaders[method] ?? 'Accept']: accepted.join(', ') },
  })
}

/** The header that lists the accepted types in a 415, by method. */
const acceptHeaders: Readonly<Record<string, string>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }

const encodedBody = makeProblem('unsupported-media-type', {
  detail: 'A body must have no Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
})

const isAcceptedParameter = (parameter: string): boolean => {
  // a comma joins repeated fields
  if (parameter.includes(',')) return false
  const [name = '', value = ''] = parameter.split('=')
  return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
}

import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { LongBodies } from '../server/long-bodies.js'
import { makeOverloadProblem, type Problem } from './problems.js'
import { type HttpResponse, makeProblemResponse } from './response.js'

/** Sets the parts of the response on `ctx.response`, because the shorthands of `ctx` take longer. */
export const writeResponse = (
  { res, response }: Context,
  { status, headers, body, problem }: HttpResponse<string | Readable>,
): void => {
  response.status = status
  res.problem = problem
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (body !== undefined) response.body = body
}

export const sendProblem = (ctx: Context, problem: Problem): void => writeResponse(ctx, makeProblemResponse(problem))

/** Sends a response whose body may be in pieces. Without memory for the pieces, sends a problem instead. */
export const sendWithin = (longBodies: LongBodies, ctx: Context, { body, ...response }: HttpResponse): void => {
  if (typeof body !== 'object') writeResponse(ctx, { ...response, body })
  else {
    const stream = longBodies.open(ctx.res, body)
    if (stream === undefined) sendProblem(ctx, tooManyLongResponses)
    else writeResponse(ctx, { ...response, body: stream })
  }
}

export const tooManyLongResponses = makeOverloadProblem('MAX_UNSENT_MB', {
  detail:
    'Too many long responses are being sent. Try again, or read fewer items at a time: pages with a small page_size instead of the list of all snippets.',
})

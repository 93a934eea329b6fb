import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { LongResponses } from '../server/long-responses.js'
import { makeOverloadProblem, type Problem } from './problems.js'
import { type HttpResponse, makeProblemResponse } from './response.js'

/** Writes the response with this body. Sets its parts on `ctx.response`, because the shorthands of `ctx` are slow. */
export const writeResponse = (
  { res, response }: Context,
  { status, headers, problem }: HttpResponse,
  body: string | Readable | undefined,
): void => {
  response.status = status
  res.problem = problem
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (body !== undefined) response.body = body
}

export const sendProblem = (ctx: Context, problem: Problem): void => {
  const response = makeProblemResponse(problem)
  writeResponse(ctx, response, response.body)
}

/** Sends a response. Reserves memory for a long body first, and sends a 503 if there is not enough. */
export const sendWithin = (longResponses: LongResponses, ctx: Context, response: HttpResponse): void => {
  const { body } = response
  if (typeof body !== 'object') writeResponse(ctx, response, body)
  else {
    const { pieces, items = [], onEnd = () => {} } = body
    const stream = longResponses.stream(ctx.res, pieces, items, onEnd)
    if (stream === undefined) sendProblem(ctx, tooManyLongResponses)
    else writeResponse(ctx, response, stream)
  }
}

export const tooManyLongResponses = makeOverloadProblem('unsentBytes', {
  detail:
    'Too many long responses are being sent. Try again, or read fewer items at a time: pages with a small page_size instead of the list of all snippets.',
})

import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { LongResponses } from '../server/long-responses.js'
import { makeOverloadProblem, type Problem } from './problems.js'
import { type HttpResponse, makeProblemResponse } from './response.js'

/** Sets the parts of the response on `ctx.response`, because the shorthands of `ctx` take longer. */
const write = (
  { res, response }: Context,
  { status, headers, problem }: HttpResponse,
  body: string | Readable | undefined,
): void => {
  response.status = status
  res.problem = problem
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (body !== undefined) response.body = body
}

export const writeResponse = (ctx: Context, response: HttpResponse<string>): void => write(ctx, response, response.body)

export const sendProblem = (ctx: Context, problem: Problem): void => writeResponse(ctx, makeProblemResponse(problem))

/** Sends a response. A long body first gets memory; without it, the client gets a 503. */
export const sendWithin = (longResponses: LongResponses, ctx: Context, response: HttpResponse): void => {
  const { body } = response
  // passes the response on as it is, because a copy without its body is slow
  if (typeof body !== 'object') write(ctx, response, body)
  else {
    const { pieces, items = [], onEnd = () => {} } = body
    const stream = longResponses.stream(ctx.res, pieces, items, onEnd)
    if (stream === undefined) sendProblem(ctx, tooManyLongResponses)
    else write(ctx, response, stream)
  }
}

export const tooManyLongResponses = makeOverloadProblem('unsentBytes', {
  detail:
    'Too many long responses are being sent. Try again, or read fewer items at a time: pages with a small page_size instead of the list of all snippets.',
})

import { finished, type Readable } from 'node:stream'
import type { Context } from 'koa'
import { makeOverloadProblem, type Problem } from './problems.js'
import { type HttpResponse, makeProblemResponse } from './response.js'

/** Sends a response. Reserves memory for the items of a long body first, and sends a 503 if there is not enough. */
export const send = (ctx: Context, response: HttpResponse): void => {
  const { body } = response
  if (typeof body !== 'object') return void write(ctx, response, body)
  const { pieces, items, onClose } = body
  const { longResponses } = ctx.bodyTransfer
  // `finished` calls back even if the client has already left
  if (onClose !== undefined) finished(ctx.res, onClose)
  else if (!longResponses.reserveItems(ctx.res, items)) return void sendProblem(ctx, tooManyLongResponses)
  write(ctx, response, longResponses.stream(ctx.res, pieces))
}

export const sendProblem = (ctx: Context, problem: Problem): void => send(ctx, makeProblemResponse(problem))

/** Reserves memory for a list of any length, before the storage opens it. Returns false if there is not enough. */
export const reserveLong = (ctx: Context): boolean => ctx.bodyTransfer.longResponses.reserveUnbounded(ctx.res)

export const tooManyLongResponses = makeOverloadProblem('unsentBytes', {
  detail:
    'Too many long responses are being sent. Try again, or read fewer items at a time: pages with a small page_size instead of the list of all snippets.',
})

/** Sets the parts of a response on `ctx.response`, because the shorthands of `ctx` are slow. */
const write = (
  { res, response, state }: Context,
  { status, headers, problem, createdId }: HttpResponse,
  body: string | Readable | undefined,
): void => {
  response.status = status
  res.problem = problem
  if (createdId !== undefined) state.itemId = String(createdId)
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (body !== undefined) response.body = body
}

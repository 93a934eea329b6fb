import type { Context } from 'koa'
import type { Problem } from './problems.js'
import { type HttpResponse, problemResponse } from './response.js'

/** Sets the parts of the response on `ctx.response`, because the shorthands of `ctx` take longer. */
export const writeResponse = ({ res, response }: Context, { status, headers, body, problem }: HttpResponse): void => {
  response.status = status
  res.problem = problem
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (body === undefined) return
  response.body = body
  // Node warns of more than ten listeners, and piping a stream adds most of them
  if (typeof body === 'object') res.setMaxListeners(20)
}

export const sendProblem = (ctx: Context, problem: Problem): void => writeResponse(ctx, problemResponse(problem))

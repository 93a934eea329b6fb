import type { Context } from 'koa'
import type { Problem } from './problems.js'
import { type HttpResponse, problemResponse } from './response.js'

export const writeResponse = (ctx: Context, { status, headers, body, problem, limit }: HttpResponse): void => {
  ctx.status = status
  ctx.state.problem = problem
  ctx.state.limit = limit
  for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '')
  if (body !== undefined) ctx.body = body
  // Node warns of more than ten listeners, and piping a stream adds most of them
  if (typeof ctx.body === 'object') ctx.res.setMaxListeners(20)
}

export const sendProblem = (ctx: Context, problem: Problem): void => writeResponse(ctx, problemResponse(problem))

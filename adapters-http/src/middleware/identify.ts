import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { ProblemType } from '../answer/problems.js'

declare module 'koa' {
  interface DefaultState {
    requestId: string
    /** The path of the route that answers. */
    route?: string
    /** The name of the token that the request was sent with. */
    tokenName?: string
    /** The type of the problem that is the answer. */
    problem?: ProblemType | undefined
  }
}

const wellFormed = /^[\w.:+/=-]{1,128}$/

/** On every response, whoever makes it. */
export const commonHeaders = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' } as const

/**
 * Gives the request an id: the caller's own where it is safe to log, so that one request can be followed through several
 * services. Sets the headers that every answer has.
 */
export const identify: Middleware = (ctx, next) => {
  const { 'x-request-id': given } = ctx.req.headers
  ctx.state.requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
  ctx.set({ ...commonHeaders, 'X-Request-Id': ctx.state.requestId })
  return next()
}

import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { type Answer, noContent, permanentRedirect, refused } from '../answer/answer.js'
import type { Log } from '../answer/log.js'
import { json, mergePatch } from '../answer/media-types.js'
import { methodNotAllowed, type Problem, problem } from '../answer/problems.js'
import { problemOf, type Refusal } from '../answer/refusal.js'
import type { Fallbacks } from '../koa/indexed-router.js'
import { logCause } from '../koa/log-cause.js'
import { writeAnswer } from '../koa/write-answer.js'
import { rawQuery } from '../request/query-string.js'
import type { Result } from './route.js'

type Written = void | Promise<void>

/** Writes what a route returned. */
export const answerTo = (ctx: Context, result: Result, log: Log): Written =>
  result instanceof Promise ? result.then(settled => write(ctx, settled, log)) : write(ctx, result, log)

const write = (ctx: Context, result: Either<Refusal, Answer>, log: Log): Written => {
  if (!isLeft(result)) return writeAnswer(ctx, result.right)
  logCause(log, ctx, result.left)
  return refuse(ctx, problemOf(result.left))
}

export const refuse = (ctx: Context, refusal: Problem): Written => writeAnswer(ctx, refused(refusal))

const notFound = problem('not-found')

export const fallbacks: Fallbacks = {
  notFound: ctx => refuse(ctx, notFound),
  missingSlash: (ctx, path) => {
    const query = rawQuery(ctx)
    return writeAnswer(ctx, permanentRedirect(`${path}/${query && `?${query}`}`))
  },
  otherMethod: (ctx, allowed) => {
    if (ctx.req.method !== 'OPTIONS') return refuse(ctx, methodNotAllowed(ctx.req.method ?? '', allowed))
    const patches = allowed.includes('PATCH') && { 'Accept-Patch': `${json}, ${mergePatch}` }
    return writeAnswer(ctx, noContent({ Allow: allowed.join(', '), ...patches }))
  },
}

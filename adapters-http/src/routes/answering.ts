import type { RouterContext } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import { type Answer, refused } from '../answer/answer.js'
import type { Log } from '../answer/log.js'
import type { Problem } from '../answer/problems.js'
import { problemOf, type Refusal } from '../answer/refusal.js'
import { logCause } from '../koa/log-cause.js'
import { writeAnswer } from '../koa/write-answer.js'
import type { Route } from './route.js'

type Written = void | Promise<void>

/** Runs a route, and writes what it returns. */
export const answerTo = (ctx: RouterContext, route: Route, log: Log): Written => {
  const result = route.run(ctx)
  return result instanceof Promise
    ? result.then(settled => write(ctx, settled, route, log))
    : write(ctx, result, route, log)
}

const write = (ctx: RouterContext, result: E.Either<Refusal, Answer>, route: Route, log: Log): Written => {
  if (!E.isLeft(result)) return writeAnswer(ctx, result.right)
  logCause(log, ctx, result.left)
  const item = `${route.item ?? 'item'} ${ctx.params?.id ?? ''}`
  return refuse(ctx, problemOf(result.left, { item, isRead: route.method === 'GET' }))
}

export const refuse = (ctx: Context, refusal: Problem): Written => writeAnswer(ctx, refused(refusal))

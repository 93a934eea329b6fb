import type { RouterContext } from '@koa/router'
import type { StorageError } from '@snippets/domain/errors.js'
import { answer, answerEmpty, requestId } from './koa/answer.js'
import type { Log } from './log.js'
import { type Problem, problemBody, problemOf } from './problem.js'

/** What a resource looks like outside. One with an ETag can be asked for conditionally. */
export type Representation = Readonly<{ json: string; etag?: string }>

const conditional = 'no-cache'

export const sendJson = (ctx: RouterContext, json: string): void =>
  answer(ctx, 200, { 'Content-Type': 'application/json' }, json)

export const sendRepresentation = (ctx: RouterContext, { json, etag }: Representation): void => {
  const type = 'application/json'
  if (etag === undefined) answer(ctx, 200, { 'Content-Type': type }, json)
  else answer(ctx, 200, { 'Content-Type': type, ETag: etag, 'Cache-Control': conditional }, json)
}

export const sendCreated = (ctx: RouterContext, location: string, { json, etag }: Representation): void =>
  answer(
    ctx,
    201,
    {
      'Content-Type': 'application/json',
      Location: location,
      ...(etag && { ETag: etag, 'Cache-Control': conditional }),
    },
    json,
  )

export const sendNotModified = (ctx: RouterContext, etag: string): void =>
  answerEmpty(ctx, 304, { ETag: etag, 'Cache-Control': conditional })

export const sendNoContent = (ctx: RouterContext): void => answerEmpty(ctx, 204, {})

export const sendProblem = (ctx: RouterContext, problem: Problem): void =>
  answer(ctx, problem.status, { 'Content-Type': 'application/problem+json', ...problem.headers }, problemBody(problem))

/** Tells the client what happened and the log why. */
export type Refuse = (ctx: RouterContext, error: StorageError) => void

export const refuseWith =
  (log: Log): Refuse =>
  (ctx, error) => {
    if (error._tag === 'Unavailable') log.warn(about(ctx, error.cause), `storage unavailable, write ${error.outcome}`)
    if (error._tag === 'Corrupt') log.error(about(ctx, error.cause), 'the storage holds something malformed')
    sendProblem(ctx, problemOf(error))
  }

export const about = (ctx: RouterContext, err: unknown): object => ({
  err,
  requestId: requestId(ctx),
  method: ctx.req.method,
  url: ctx.req.url,
})

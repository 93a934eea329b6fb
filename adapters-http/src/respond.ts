import type { OutgoingHttpHeaders } from 'node:http'
import type { StorageError } from '@snippets/domain/errors.js'
import type { Context } from 'koa'
import { answer, answerEmpty, requestId } from './koa/answer.js'
import type { Log } from './log.js'
import { json, problemJson } from './media-types.js'
import { type Problem, problemBody, problemOf } from './problem.js'

/** What a resource looks like outside. One with an ETag can be asked for conditionally. */
export type Representation = Readonly<{ json: string; etag?: string }>

export const sendJson = (ctx: Context, body: string): void => answer(ctx, 200, { 'Content-Type': json }, body)

export const sendRepresentation = (ctx: Context, item: Representation): void =>
  answer(ctx, 200, headersOf(item), item.json)

export const sendCreated = (ctx: Context, location: string, item: Representation): void =>
  answer(ctx, 201, { ...headersOf(item), Location: location }, item.json)

export const sendNotModified = (ctx: Context, etag: string): void => answerEmpty(ctx, 304, validated(etag))

const headersOf = ({ etag }: Representation): OutgoingHttpHeaders =>
  etag === undefined ? { 'Content-Type': json } : { 'Content-Type': json, ...validated(etag) }

/** A copy may be kept, but not used before it was compared with the tag. */
const validated = (etag: string): OutgoingHttpHeaders => ({ ETag: etag, 'Cache-Control': 'no-cache' })

export const sendNoContent = (ctx: Context): void => answerEmpty(ctx, 204, {})

export const sendProblem = (ctx: Context, problem: Problem): void =>
  answer(ctx, problem.status, { 'Content-Type': problemJson, ...problem.headers }, problemBody(problem))

/** Tells the client what happened and the log why. */
export type Refuse = (ctx: Context, error: StorageError) => void

export const refuseWith =
  (log: Log): Refuse =>
  (ctx, error) => {
    if (error._tag === 'Unavailable') log.warn(about(ctx, error.cause), `storage unavailable, write ${error.outcome}`)
    if (error._tag === 'Corrupt') log.error(about(ctx, error.cause), 'the storage holds something malformed')
    sendProblem(ctx, problemOf(error))
  }

export const about = (ctx: Context, err: unknown): object => ({
  err,
  requestId: requestId(ctx),
  method: ctx.req.method,
  url: ctx.req.url,
})

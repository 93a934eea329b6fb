import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { finished, type Readable } from 'node:stream'
import type { Created } from '@snippets/domain/entities/idempotency-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { BodyDescription } from '../formats/openapi-objects.js'
import { makeOverloadProblem, type Problem, problemBody } from '../formats/problems.js'

export const jsonType = 'application/json'
export const problemJsonType = 'application/problem+json'
export const plainTextType = 'text/plain; charset=utf-8'

type Headers = Readonly<Record<string, string>>

/** The headers of every response, unless it has others. */
export const commonHeaders = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' } as const

/** A long body. It is sent in pieces, each when the client has read the earlier ones. */
export type LongBody = Readonly<{
  pieces: AsyncIterable<string | Uint8Array>
  /**
   * The memory behind the pieces. It counts towards the limit, and a 503 replaces the body if there is not enough.
   * Undefined for a list, which reserves memory before it opens, and for a backup, of which only one runs at a time.
   */
  bytes?: number
  /** Called when the response closes, complete or not. */
  onClose?: () => void
}>

/** The response of a handler. 204 and 304 have no body. `problem` and `createdId` are for log and metrics. */
export type HttpResponse = Readonly<{
  status: number
  headers: Headers
  body?: string | LongBody | undefined
  problem?: Problem
  createdId?: bigint
}>

/** The JSON of an item, and its ETag. */
export type RenderedItem = Readonly<{ json: string; etag: string }>

/** Returns an item without a revision. Its tag is a hash of its JSON. */
export const makeHashedItem = (json: string): RenderedItem => ({
  json,
  etag: `"${createHash('sha256').update(json).digest('base64url')}"`,
})

export type Render<A> = (item: A) => RenderedItem

/** The public form of a resource. It renders items and describes them in the OpenAPI document. */
export type Representation<A> = BodyDescription & Readonly<{ render: Render<A> }>

export const makeJsonResponse = (body: string | LongBody, headers: Headers = {}): HttpResponse => ({
  status: 200,
  headers: { 'Content-Type': jsonType, ...headers },
  body,
})

export const makeItemResponse = ({ json, etag }: RenderedItem): HttpResponse => makeJsonResponse(json, { ETag: etag })

/**
 * Returns a 201. Its `Location` is relative unless PUBLIC_URL is set. A replay repeats the response to an earlier
 * request with the same Idempotency-Key.
 */
export const makeCreatedResponse =
  <A extends Readonly<{ id: bigint }>>(listUrl: string, render: Render<A>) =>
  ({ item, isReplay }: Created<A>): HttpResponse => {
    const { json: body, etag } = render(item)
    const headers = { 'Content-Type': jsonType, ETag: etag, Location: `${listUrl}${item.id}/` }
    const replayed = isReplay ? { ...headers, 'Idempotency-Replayed': 'true' } : headers
    return { status: 201, headers: replayed, body, createdId: item.id }
  }

export const makeNoContentResponse = (headers: Headers = {}): HttpResponse => ({ status: 204, headers })

export const makeProblemResponse = (problem: Problem): HttpResponse => ({
  status: problem.status,
  headers: { 'Content-Type': problemJsonType, ...problem.headers },
  body: problemBody(problem),
  problem,
})

/** Sends a response. Reserves memory for a long body first, and sends a 503 if there is not enough. */
export const send = (ctx: Context, response: HttpResponse): void => {
  const { body } = response
  if (typeof body !== 'object') return void write(ctx, response, body)
  const { pieces, bytes, onClose } = body
  const { longResponses } = ctx.bodies
  if (bytes !== undefined && !longResponses.reserve(ctx.res, bytes)) return void sendProblem(ctx, tooManyLongResponses)
  if (onClose !== undefined) finished(ctx.res, onClose)
  write(ctx, response, longResponses.stream(ctx.res, pieces))
}

/** The problem of each response that has one, for log and metrics. A `Rejecter` knows only Node's response. */
export const sentProblems = new WeakMap<ServerResponse, Problem>()

export const sendProblem = (ctx: Context, problem: Problem): void => send(ctx, makeProblemResponse(problem))

/** The bytes that a list of all items counts for. The memory behind its pieces is unknown. */
const listBytes = 1024 * 1024

/** Reserves memory for a list of all items. A route names it as its last reader, so a wrong query reserves none. */
export const reserveList = (ctx: Context): E.Either<Problem, void> =>
  ctx.bodies.longResponses.reserve(ctx.res, listBytes) ? E.right(undefined) : E.left(tooManyLongResponses)

const tooManyLongResponses = makeOverloadProblem('unsentBytes', {
  detail:
    'Too many long responses are being sent. Try again, or read fewer items at a time: pages with a small page_size instead of the list of all snippets.',
})

/** Sets the parts of a response on `ctx.response`, because the shorthands of `ctx` are slow. */
const write = (
  { req, res, response, state }: Context,
  { status, headers, problem, createdId }: HttpResponse,
  body: string | Readable | undefined,
): void => {
  // Node would drop the chunks of an unread body itself, without counting them
  req.resume()
  response.status = status
  if (problem !== undefined) sentProblems.set(res, problem)
  if (createdId !== undefined) state.itemId = String(createdId)
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (body !== undefined) response.body = body
}

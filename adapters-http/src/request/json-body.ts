import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { visit } from 'jsonc-parser'
import bodyParser from 'koa-bodyparser'
import type { ByteBudget } from '../load/byte-budget.js'
import { turnQueue } from '../load/turn-queue.js'
import { malformedBody, type Problem, problem } from '../response/problems.js'
import { endedEarly, parseWithinLimits } from './body-limits.js'
import { headerProblem } from './content-type.js'
import type { DecodeBody } from './decode-body.js'
import type { BodyDescription, RequestReader } from './reader.js'

/** A longer text is parsed in a turn of its own, because parsing may block the event loop for milliseconds. */
const maxShortLength = 16 * 1024

/** All bodies share one queue of turns. */
const ownTurn = turnQueue()

type JsonBodyOptions = BodyDescription & Readonly<{ budget: ByteBudget }>

/** Returns a reader of JSON. koa-bodyparser reads the text, within the limits of `body-limits.ts`. */
export const jsonBody = <A>(decode: DecodeBody<A>, { budget, ...body }: JsonBodyOptions): RequestReader<A> => {
  const { maxBytes } = body
  // `headerProblem` has checked the type
  const readText = bodyParser({ enableTypes: ['text'], extendTypes: { text: ['*/*'] }, textLimit: String(maxBytes) })
  const tooLarge = problem('body-too-large', { detail: `A body may have at most ${maxBytes} bytes.` })
  return {
    read: async ctx => {
      const rejected = headerProblem(ctx, body)
      if (O.isSome(rejected)) return E.left(rejected.value)
      if (Number(ctx.req.headers['content-length'] ?? 0) > maxBytes) return E.left(tooLarge)
      // HTTP/1.0 has no interim responses (RFC 9110, 10.1.1)
      const awaitsContinue = ctx.req.headers.expect !== undefined && ctx.req.httpVersionMinor > 0
      if (awaitsContinue && !ctx.headerSent) ctx.res.writeContinue()
      const text = pipe(
        TE.tryCatch(
          () => readText(ctx, async () => {}),
          error => readingProblem(error, tooLarge),
        ),
        TE.map(() => {
          const { rawBody } = ctx.request
          // Koa would hold the text until the response has ended
          Object.assign(ctx.request, { body: undefined, rawBody: undefined })
          return String(rawBody ?? '')
        }),
      )
      const result = await parseWithinLimits(budget, ctx, text, parseJson)
      return E.chain((value: unknown) => (isObject(value) ? decode(value) : E.left(notAnObject)))(result)
    },
    body,
    problems: ['malformed-body', 'invalid-body', 'body-too-large', 'unsupported-media-type'],
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const notAnObject = malformedBody('type', 'The body must be a JSON object')

/** JSON.parse makes `__proto__` an own property, which the codecs ignore like any unknown field. */
const parseJson =
  (text: string): TE.TaskEither<Problem, unknown> =>
  async () => {
    if (text.length > maxShortLength) await ownTurn()
    return pipe(
      parse(text),
      E.mapLeft(() => notJson(text)),
    )
  }

/** Converts an error of koa-bodyparser, which has a `status`, to a problem. */
const readingProblem = (error: unknown, tooLarge: Problem): Problem => {
  if (error instanceof Error && 'status' in error) return error.status === 413 ? tooLarge : endedEarly
  throw error
}

/** Returns a problem that names the position of the first syntax error and does not quote the body. */
const notJson = (text: string): Problem => {
  const offset = firstErrorOffset(text)
  if (offset === undefined) return malformedBody('json', 'The body is not valid JSON')
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  const place = `line ${before.length}, column ${[...(before.at(-1) ?? '')].length + 1}`
  const kind = offset >= text.length ? 'unexpected end at' : 'syntax error at'
  return malformedBody('json', `The body is not valid JSON: ${kind} ${place}`)
}

const firstErrorOffset = (text: string): number | undefined => {
  let first: number | undefined
  const onError = (_code: number, offset: number): void => {
    first = Math.min(first ?? offset, offset)
  }
  try {
    visit(text, { onError }, { disallowComments: true })
  } catch {
    // the parser is recursive, and the text is nested too deeply
    return undefined
  }
  return first
}

import type { IncomingMessage } from 'node:http'
import type { RouterContext } from '@koa/router'
import { badRequest, type Problem } from '../answer/problems.js'
import { type BodySink, GatheredRequest } from '../server/gathered-request.js'
import { GrowingBytes } from './growing-bytes.js'

const options = {
  enableTypes: ['json'],
  strict: false,
  // type and length are checked here; a limit that is a number need not be parsed for each body
  detectJSON: () => true,
  jsonLimit: Number.POSITIVE_INFINITY as unknown as string,
  // a key named __proto__ is an unknown field like any other: JSON.parse makes it an own property, and nobody reads it
  onProtoPoisoning: 'ignore',
}

type Parse = (context: RouterContext, next: () => Promise<void>) => Promise<void>

let parse: Parse | undefined

/** What koa-bodyparser needs is a third of all modules, so it is loaded once the service listens, or with the first body. */
export const loadParser = async (): Promise<void> => {
  const { default: bodyParser } = await import('koa-bodyparser')
  parse ??= bodyParser(options)
}

export type BodyChecks = Readonly<{
  maxBytes: number
  tooLarge: Problem
  /** Why a body must not be parsed. */
  faultOf: (bytes: Buffer) => Problem | undefined
}>

/** Why a body was not parsed. */
export class RefusedBody extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super()
    this.problem = problem
  }
}

/**
 * Has koa-bodyparser parse the body of a request into `ctx.request.body`. Rejects with a RefusedBody, or with what
 * JSON.parse throws.
 */
export const parseBody = (ctx: RouterContext, checks: BodyChecks): Promise<void> => {
  if (parse === undefined) return loadParser().then(() => parseBody(ctx, checks))
  const { req, request } = ctx
  const body = new WholeBody(request, checks)
  // it needs no more of a context than this
  const parsing: Promise<void> = parse(body as unknown as RouterContext, nothingNext)
  if (!req.readable) body.lose()
  else if (req instanceof GatheredRequest) req.divert(body)
  else readInto(body, req)
  return parsing
}

const done = Promise.resolve()
const nothingNext = (): Promise<void> => done

const noHeaders = {}
const lost = badRequest('The body ended early, or was read before.')

type Listener = (value?: Buffer | Error) => void

/**
 * Collects a body and passes it on in one piece. It has as much of a context and of a request as koa-bodyparser, co-body and
 * raw-body ask for, and none of a stream.
 */
class WholeBody implements BodySink {
  readonly request: RouterContext['request']
  readonly headers = noHeaders
  readonly #checks: BodyChecks
  #onData: Listener | undefined
  #onEnd: Listener | undefined
  #first: Buffer | undefined
  #joined: GrowingBytes | undefined
  #length = 0

  constructor(request: RouterContext['request'], checks: BodyChecks) {
    this.request = request
    this.#checks = checks
  }

  get req(): this {
    return this
  }

  on(event: string, listener: Listener): void {
    if (event === 'data') this.#onData = listener
    // for an error too
    if (event === 'end') this.#onEnd = listener
  }

  /** It has no more events. */
  removeListener(): void {}
  unpipe(): void {}

  take(piece: Buffer): boolean {
    this.#length += piece.length
    if (this.#length > this.#checks.maxBytes) return this.#refuse(this.#checks.tooLarge)
    if (this.#first === undefined) this.#first = piece
    else this.#join(this.#first).add(piece)
    return true
  }

  end(): void {
    // a usual body arrives in one piece
    const bytes = this.#joined?.all() ?? this.#first ?? Buffer.alloc(0)
    const fault = this.#checks.faultOf(bytes)
    if (fault !== undefined) {
      this.#refuse(fault)
      return
    }
    // the text is made here and now
    this.#onData?.(bytes)
    this.#free()
    this.#onEnd?.()
  }

  /** The client has left, and nobody will read this; or middleware has read the body, and kept it for itself. */
  lose(): void {
    this.#refuse(lost)
  }

  #join(first: Buffer): GrowingBytes {
    if (this.#joined !== undefined) return this.#joined
    this.#joined = new GrowingBytes(this.#checks.maxBytes)
    this.#joined.add(first)
    return this.#joined
  }

  #refuse(problem: Problem): false {
    this.#onEnd?.(new RefusedBody(problem))
    this.#free()
    return false
  }

  #free(): void {
    this.#joined?.free()
    this.#first = this.#joined = undefined
  }
}

/** For a request of another server than `listen` starts. */
const readInto = (body: WholeBody, req: IncomingMessage): void => {
  const take = (piece: Buffer): void => {
    if (!body.take(piece)) req.off('data', take).pause()
  }
  req
    .on('data', take)
    .once('end', () => body.end())
    .once('close', () => body.lose())
}

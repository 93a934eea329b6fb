import { isUtf8 } from 'node:buffer'
import type { RouterContext } from '@koa/router'
import { type Either, isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import bodyParser from 'koa-bodyparser'
import { decodeWith } from './codec.js'
import { nothingNext } from './koa/direct-koa.js'
import { json } from './media-types.js'
import { bodyTooLarge, invalidBody, malformedBody, type Problem, unsupportedMediaType } from './problem.js'

export const maxBodyBytes = 256 * 1024

const parserOptions = {
  enableTypes: ['json'],
  jsonLimit: `${maxBodyBytes}b`,
  strict: false,
  // the type has been looked at before
  detectJSON: () => true,
  // a key named __proto__ is an unknown field like any other: JSON.parse makes it an own property, and nobody reads it
  onProtoPoisoning: 'ignore',
}

/**
 * koa-bodyparser reads and parses. What it would let pass is refused before it (other types, content encodings) and after
 * (bytes that are not UTF-8, which it replaces; JSON that is not an object).
 */
const parse = bodyParser(parserOptions)

export const readBody = async <A>(
  ctx: RouterContext,
  types: readonly string[],
  decoder: t.Decoder<unknown, A>,
): Promise<Either<Problem, A>> => {
  const body = await readJsonObject(ctx, types)
  return isLeft(body) ? body : pipe(body.right, decodeWith(decoder), mapLeft(invalidBody))
}

const readJsonObject = async (ctx: RouterContext, types: readonly string[]): Promise<Either<Problem, object>> => {
  const refused = refusedByHeaders(ctx, types)
  if (refused !== undefined) return left(refused)
  if (ctx.req.headers.expect !== undefined) ctx.res.writeContinue()
  const chunks: Buffer[] = []
  const keep = (chunk: Buffer): void => void chunks.push(chunk)
  ctx.req.on('data', keep)
  try {
    await parse(ctx, nothingNext)
  } catch (error) {
    return left(refusedByParser(error))
  } finally {
    ctx.req.off('data', keep)
  }
  if (!isUtf8(Buffer.concat(chunks))) return left(malformedBody('encoding', 'the body is not UTF-8'))
  const { body } = ctx.request
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return right(body)
  return left(malformedBody('type', 'the body must be a JSON object'))
}

const refusedByHeaders = ({ req }: RouterContext, types: readonly string[]): Problem | undefined => {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = req.headers
  if (encoding !== undefined)
    return unsupportedMediaType('A body is taken without any Content-Encoding.', { 'Accept-Encoding': 'identity' })
  if (type !== json && !isAccepted(type, types))
    return unsupportedMediaType(
      `The Content-Type must be ${types.join(' or ')}, in UTF-8.`,
      acceptedBy(req.method, types),
    )
  return Number(length ?? 0) > maxBodyBytes ? bodyTooLarge(maxBodyBytes) : undefined
}

const isAccepted = (header: string | undefined, types: readonly string[]): boolean => {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  return types.includes(type.trim()) && parameters.every(isAcceptedParameter)
}

const isAcceptedParameter = (parameter: string): boolean => {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim() !== 'charset' || /^"?utf-8"?$/.test(value.trim())
}

const acceptedBy = (method: string | undefined, types: readonly string[]): Readonly<Record<string, string>> => {
  if (method === 'PATCH') return { 'Accept-Patch': types.join(', ') }
  return method === 'POST' ? { 'Accept-Post': types.join(', ') } : { Accept: types.join(', ') }
}

const refusedByParser = (error: unknown): Problem => {
  if (error instanceof SyntaxError) return malformedBody('json', 'the body is not valid JSON')
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined
  if (type === 'entity.too.large') return bodyTooLarge(maxBodyBytes)
  // the client went away, so nobody will read this
  if (type === 'request.aborted') return malformedBody('incomplete', 'the body ended early')
  throw error
}

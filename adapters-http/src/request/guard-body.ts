import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'koa'
import { badRequest, malformedBody, type Problem, problem, typeOf } from '../answer/problems.js'
import type { BodyDescription } from './reader.js'

const maxPieces = 4096

/** The heap that a piece takes beyond its bytes. */
const bytesPerPiece = 128

/** What all bodies in progress take of the heap, and may take. */
export type BodyBudget = { readonly maxBytes: number; taken: number }

/** A body this small is read even past the budget: the bodies of all connections fit into it again. */
const smallBytes = 8 * 1024

/** The problem that a request's headers tell of its body. */
export const headerProblem = (
  { req }: Context,
  { mediaTypes }: Pick<BodyDescription, 'mediaTypes'>,
): O.Option<Problem> => {
  const { 'content-type': type = '', 'content-encoding': encoding } = req.headers
  if (encoding !== undefined) return O.some(encodedBody)
  return isAccepted(type, mediaTypes) ? O.none : O.some(wrongType(req.method, mediaTypes))
}

/** Parses a body within limits. Returns the problem of the parser, or of a body that the parser would accept. */
export const parseWithin = async (
  budget: BodyBudget,
  { req, res }: Context,
  parse: TaskEither<Problem, unknown>,
): Promise<E.Either<Problem, unknown>> => {
  let pieces: Buffer[] = []
  let count = 0
  let taken = 0
  let rejectWith = (_problem: Problem): void => {}
  const rejection = new Promise<E.Either<Problem, never>>(resolve => {
    rejectWith = problem => resolve(E.left(problem))
  })
  const take = (piece: Buffer): void => {
    pieces.push(piece)
    // many small buffers take far more memory than one
    if (pieces.length > 16) pieces = [Buffer.concat(pieces)]
    const bytes = piece.length + bytesPerPiece
    taken += bytes
    budget.taken += bytes
    if (++count > maxPieces) rejectWith(tooManyPieces)
    else if (budget.taken > budget.maxBytes && taken > smallBytes) rejectWith(tooManyBytes)
  }
  const endEarly = (): void => rejectWith(endedEarly)
  req.on('data', take)
  // the server answers a broken body itself, and the parser would wait forever
  res.once('close', endEarly)
  try {
    const outcome = await Promise.race([rejection, parse()])
    const isWhole = E.isRight(outcome) || outcome.left.type === malformedType
    return isWhole && !isUtf8(Buffer.concat(pieces)) ? E.left(notUtf8) : outcome
  } finally {
    req.off('data', take)
    res.off('close', endEarly)
    budget.taken -= taken
    // the next request comes after the rest of the body
    req.resume()
  }
}

export const endedEarly = badRequest('The body ended early, or was read before.')
const malformedType = typeOf('malformed-body')
const notUtf8 = malformedBody('encoding', 'the body is not UTF-8')
const tooManyPieces = problem('body-too-large', {
  detail: `A body may come in at most ${maxPieces} pieces.`,
  headers: { Connection: 'close' },
})

const tooManyBytes = problem('overloaded', {
  detail: 'The bodies of all requests are too large together. Nothing was written. Try again.',
  headers: { 'Retry-After': '1', Connection: 'close' },
})

const encodedBody = problem('unsupported-media-type', {
  detail: 'A body must have no Content-Encoding.',
  headers: { 'Accept-Encoding': 'identity' },
})

const wrongType = (method: string | undefined, mediaTypes: readonly string[]): Problem =>
  problem('unsupported-media-type', {
    detail: `The Content-Type must be ${mediaTypes.join(' or ')}, in UTF-8.`,
    headers: { [acceptHeader[method ?? ''] ?? 'Accept']: mediaTypes.join(', ') },
  })

/** Where a 415 says what would be accepted. */
const acceptHeader: Readonly<Record<string, string>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }

const isAccepted = (contentType: string, mediaTypes: readonly string[]): boolean => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  return mediaTypes.includes(type.trim()) && parameters.every(isAcceptedParameter)
}

const isAcceptedParameter = (parameter: string): boolean => {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim() !== 'charset' || /^"?utf-8"?$/.test(value.trim())
}

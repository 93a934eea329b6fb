import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { malformedBody, type Problem, problem } from '../answer/problems.js'
import type { BodyDescription } from './reader.js'

/** A piece costs far more memory than its bytes, and some microseconds. */
const maxPieces = 4096

const bodyBroken = 'bodyBroken'
const broken = new WeakMap<IncomingMessage, Problem>()

/** For a server: says that a body cannot be read to its end, to whoever reads it or is about to. */
export const breakBody = (req: IncomingMessage, problem: Problem): void => {
  broken.set(req, problem)
  req.emit(bodyBroken, problem)
}

/** Why a body is not read to its end. */
export class RefusedBody extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** The problem that a request's headers tell of its body. */
export const headerProblem = (
  { req }: Context,
  { mediaTypes }: Pick<BodyDescription, 'mediaTypes'>,
): Problem | undefined => {
  const { 'content-type': type = '', 'content-encoding': encoding } = req.headers
  if (encoding !== undefined) return encodedBody
  return isAccepted(type, mediaTypes) ? undefined : wrongType(req.method, mediaTypes)
}

/** Watches a body while it is parsed. Rejects with a `RefusedBody` for what a parser would take. */
export const watchBody = (req: IncomingMessage): Promise<never> =>
  new Promise((_, reject) => {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let pieces = 0
    let isUtf8 = true
    const refuse = (problem: Problem): void => reject(new RefusedBody(problem))
    const known = broken.get(req)
    if (known !== undefined) return refuse(known)
    const decode = (piece?: Buffer): void => {
      try {
        decoder.decode(piece, { stream: piece !== undefined })
      } catch {
        isUtf8 = false
      }
    }
    req
      .on('data', (piece: Buffer) => {
        if (++pieces > maxPieces) refuse(tooManyPieces)
        else if (isUtf8) decode(piece)
      })
      .once('end', () => {
        if (isUtf8) decode()
        if (!isUtf8) refuse(notUtf8)
      })
      .once(bodyBroken, refuse)
  })

const notUtf8 = malformedBody('encoding', 'the body is not UTF-8')
const tooManyPieces = problem('body-too-large', {
  detail: `A body may come in at most ${maxPieces} pieces.`,
  headers: { Connection: 'close' },
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

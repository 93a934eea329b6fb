import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Middleware } from 'koa'
import { makeProblem, type Problem } from '../formats/problems.js'
import { sendProblem } from '../response/response.js'

/** `write` includes `read`. */
export const scopes = ['read', 'write'] as const

/** A bearer token, stored as its hash. */
export type Token = Readonly<{ name: string; scope: (typeof scopes)[number]; hash: Uint8Array }>

/** Returns the SHA-256 of a token. A fast hash is secure here: a token has 256 random bits, so it cannot be guessed. */
export const hashToken = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/** The start of `WWW-Authenticate` in a 401 or 403. An error may follow. */
export const challenge = 'Bearer realm="snippets"'

const challengeOf = (parameters: string) => ({ 'WWW-Authenticate': challenge + parameters })

// without a token the challenge has no error code (RFC 6750, 3.1)
const noToken = makeProblem('unauthorized', { headers: challengeOf('') })
const unknownToken = makeProblem('unauthorized', {
  detail: 'The token is unknown or revoked.',
  headers: challengeOf(', error="invalid_token"'),
})
const readOnlyToken = makeProblem('forbidden', { headers: challengeOf(', error="insufficient_scope", scope="write"') })

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Finds the bearer token of a request (RFC 6750) among the valid tokens. */
export const authenticate = (tokens: readonly Token[], { headers }: IncomingMessage): E.Either<Problem, Token> => {
  const [, presented] = /^Bearer +([\w.~+/=-]+) *$/i.exec(headers.authorization ?? '') ?? []
  if (presented === undefined) return E.left(noToken)
  const hash = hashToken(presented)
  // compares with every token in constant time, so that response times reveal nothing about a hash
  return E.fromNullable(unknownToken)(tokens.filter(token => timingSafeEqual(token.hash, hash))[0])
}

/** Requires a token with the scope that the method needs. `tokens` returns the valid tokens. */
export const requireToken =
  (tokens: () => readonly Token[]): Middleware =>
  async (ctx, next) => {
    const token = authenticate(tokens(), ctx.req)
    if (E.isLeft(token)) return sendProblem(ctx, token.left)
    ctx.state.tokenName = token.right.name
    if (token.right.scope === 'write' || safeMethods.includes(ctx.method)) await next()
    else sendProblem(ctx, readOnlyToken)
  }

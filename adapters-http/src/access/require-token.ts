import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Middleware } from 'koa'
import { type Problem, problem } from '../response/problems.js'
import { sendProblem } from '../response/write-response.js'
import { findToken, type Token } from './token.js'

const challenge = 'Bearer realm="snippets"'

const tokenProblem = (name: 'unauthorized' | 'forbidden', parameters: string): Problem =>
  problem(name, { headers: { 'WWW-Authenticate': challenge + parameters } })

// without a token the challenge has no error code (RFC 6750, 3.1)
const noToken = tokenProblem('unauthorized', '')
const unknownToken = {
  ...tokenProblem('unauthorized', ', error="invalid_token"'),
  detail: 'The token is unknown or revoked.',
}
const readOnlyToken = tokenProblem('forbidden', ', error="insufficient_scope", scope="write"')

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Requires a bearer token (RFC 6750) with the scope that the method needs. `tokens` returns the valid tokens. */
export const requireToken =
  (tokens: () => readonly Token[]): Middleware =>
  async (ctx, next) => {
    const [, presented] = /^Bearer +([\w.~+/=-]+) *$/i.exec(ctx.get('Authorization')) ?? []
    if (presented === undefined) return sendProblem(ctx, noToken)
    return pipe(
      findToken(tokens(), presented),
      O.match(
        async () => sendProblem(ctx, unknownToken),
        async ({ name, scope }) => {
          ctx.state.tokenName = name
          if (scope === 'write' || safeMethods.includes(ctx.method)) await next()
          else sendProblem(ctx, readOnlyToken)
        },
      ),
    )
  }

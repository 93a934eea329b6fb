import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Middleware } from 'koa'
import { type Problem, problem } from '../answer/problems.js'
import { refuse } from '../answer/write-answer.js'
import { findToken, type Token } from './token.js'

const realm = 'Bearer realm="snippets"'

const challenge = (name: 'unauthorized' | 'forbidden', parameters: string): Problem =>
  problem(name, { headers: { 'WWW-Authenticate': realm + parameters } })

// RFC 6750, 3.1: without a token no error is named
const noToken = challenge('unauthorized', '')
const unknownToken = challenge('unauthorized', ', error="invalid_token"')
const readOnlyToken = challenge('forbidden', ', error="insufficient_scope", scope="write"')

const readingMethods = ['GET', 'HEAD', 'OPTIONS']

/** Asks for a bearer token (RFC 6750) with the scope that the method needs. `tokens` are those that are valid now. */
export const requireToken =
  (tokens: () => readonly Token[]): Middleware =>
  async (ctx, next) => {
    const [, presented] = /^Bearer +([\w.~+/=-]+) *$/i.exec(ctx.get('Authorization')) ?? []
    if (presented === undefined) return refuse(ctx, noToken)
    return pipe(
      findToken(tokens(), presented),
      O.match(
        async () => refuse(ctx, unknownToken),
        async ({ name, scope }) => {
          ctx.state.tokenName = name
          if (scope === 'write' || readingMethods.includes(ctx.method)) await next()
          else refuse(ctx, readOnlyToken)
        },
      ),
    )
  }

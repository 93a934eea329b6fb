import type { Context, Middleware } from 'koa'
import { refused } from '../answer/answer.js'
import { type Problem, problem } from '../answer/problems.js'
import { writeAnswer } from '../koa/write-answer.js'
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
  (ctx, next) => {
    const [, presented] = /^Bearer +([\w.~+/=-]+) *$/i.exec(ctx.get('Authorization')) ?? []
    if (presented === undefined) return refuse(ctx, noToken)
    const token = findToken(tokens(), presented)
    if (token === undefined) return refuse(ctx, unknownToken)
    ctx.state.tokenName = token.name
    return token.scope === 'write' || readingMethods.includes(ctx.method) ? next() : refuse(ctx, readOnlyToken)
  }

const refuse = async (ctx: Context, refusal: Problem): Promise<void> => writeAnswer(ctx, refused(refusal))

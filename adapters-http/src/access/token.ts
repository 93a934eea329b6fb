import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as O from 'fp-ts/lib/Option.js'

/** `write` includes `read`. */
export const scopes = ['read', 'write'] as const

export type Scope = (typeof scopes)[number]

/** A bearer token as the service keeps it: not the token, but its hash. */
export type Token = Readonly<{ name: string; scope: Scope; hash: Uint8Array }>

/** The prefix lets tools that look for leaked secrets recognise one. */
const prefix = 'snippets_'

export const newToken = (): string => prefix + randomBytes(32).toString('base64url')

/**
 * SHA-256 is enough: a slow hash protects passwords, which can be guessed. Nobody can guess 256 random bits, however fast
 * each guess is.
 */
export const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/** Compares with every token in constant time, so that the time of an answer tells nothing about a hash. */
export const findToken = (tokens: readonly Token[], presented: string): O.Option<Token> => {
  const hash = hashOf(presented)
  return O.fromNullable(tokens.filter(token => timingSafeEqual(token.hash, hash)).at(-1))
}

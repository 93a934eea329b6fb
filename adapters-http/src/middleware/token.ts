import { createHash, randomBytes } from 'node:crypto'

/** `write` includes `read`. */
export const scopes = ['read', 'write'] as const

export type Scope = (typeof scopes)[number]

/** A bearer token, stored as its hash. */
export type Token = Readonly<{ name: string; scope: Scope; hash: Uint8Array }>

/** Returns a token with a prefix by which secret scanners recognise it. */
export const makeToken = (): string => `snippets_${randomBytes(32).toString('base64url')}`

/** Returns the SHA-256 of a token. A fast hash is secure here: a token has 256 random bits, so it cannot be guessed. */
export const hashToken = (token: string): Uint8Array => createHash('sha256').update(token).digest()

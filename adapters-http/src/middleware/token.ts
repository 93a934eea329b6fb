import { createHash } from 'node:crypto'

/** `write` includes `read`. */
export const scopes = ['read', 'write'] as const

/** A bearer token, stored as its hash. */
export type Token = Readonly<{ name: string; scope: (typeof scopes)[number]; hash: Uint8Array }>

/** Returns the SHA-256 of a token. A fast hash is secure here: a token has 256 random bits, so it cannot be guessed. */
export const hashToken = (token: string): Uint8Array => createHash('sha256').update(token).digest()

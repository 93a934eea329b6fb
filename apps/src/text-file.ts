import { appendFileSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'

/** Returns the code of an error, such as ENOENT. */
export const codeOf = (error: unknown): string => String(error instanceof Error && 'code' in error ? error.code : error)

/** Left is the code of the error. */
const orCode = <A>(work: () => A): E.Either<string, A> => E.tryCatch(work, codeOf)

/** Reads a file in UTF-8, without its byte order mark. */
export const readTextFile = (path: string): E.Either<string, string> =>
  orCode(() => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)))

/** Appends to a file. Only its owner can read a new one. */
export const appendToFile = (path: string, text: string): E.Either<string, void> =>
  orCode(() => appendFileSync(path, text, { mode: 0o600 }))

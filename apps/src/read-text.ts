import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'

/** Returns the `code` of an error of Node.js or of a library, such as ENOENT. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Reads a file in UTF-8, without its byte order mark. Left is the code of the error, such as ENOENT. */
export const readText = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)),
    error => String(codeOf(error) ?? E.toError(error).message),
  )

import { appendFileSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

/** Returns the code of an error, such as ENOENT, or else its text. */
export const codeTextOf = (error: unknown): string =>
  String(error instanceof Error && 'code' in error ? error.code : error)

const cannotBeRead = (code: string): string => `it cannot be read (${code})`

/** Reads UTF-8 without its byte order mark. */
const read = (path: string): E.Either<string, string> =>
  E.tryCatch(() => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)), codeTextOf)

/** Reads a file in UTF-8. Left says why it cannot be read. */
export const readTextFile = (path: string): E.Either<string, string> => pipe(read(path), E.mapLeft(cannotBeRead))

/** Reads a file in UTF-8. A missing file is empty. Left says why it cannot be read. */
export const readTextFileIfAny = (path: string): E.Either<string, string> =>
  pipe(
    read(path),
    E.orElse(code => (code === 'ENOENT' ? E.right('') : E.left(cannotBeRead(code)))),
  )

/** Appends to a file. Only its owner can read a new one. Left says why it cannot be written. */
export const appendToFile = (path: string, text: string): E.Either<string, void> =>
  E.tryCatch(
    () => appendFileSync(path, text, { mode: 0o600 }),
    error => `it cannot be written (${codeTextOf(error)})`,
  )

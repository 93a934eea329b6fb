import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

/** Returns the code of an error, such as ENOENT, or else its text. */
export const codeTextOf = (error: unknown): string =>
  String(error instanceof Error && 'code' in error ? error.code : error)

const cannotBeRead = (code: string): string => `it cannot be read (${code})`

/** Decodes UTF-8 without its byte order mark. */
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

const read = (path: string): E.Either<string, string> => E.tryCatch(() => decode(readFileSync(path)), codeTextOf)

/** Reads a file in UTF-8. A missing file is empty. Left says why it cannot be read. */
export const readTextFileIfAny = (path: string): E.Either<string, string> =>
  pipe(
    read(path),
    E.orElse(code => (code === 'ENOENT' ? E.right('') : E.left(cannotBeRead(code)))),
  )

const maxSmallBytes = 1024 * 1024

/**
 * Reads a regular file in UTF-8, of at most 1 MiB. Left says why it cannot be read. A device may have no end, and a
 * pipe would block the process.
 */
export const readSmallTextFile = (path: string): E.Either<string, string> =>
  pipe(
    E.tryCatch(() => readSmall(path), codeTextOf),
    E.mapLeft(cannotBeRead),
    E.chain(E.fromOption(() => 'it is not a regular file of at most 1 MiB')),
  )

const readSmall = (path: string): O.Option<string> => {
  // Windows has no such flag
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!fstatSync(file).isFile()) return O.none
    // file systems such as procfs tell no size, and may return less than a read asks for
    const bytes = Buffer.alloc(maxSmallBytes + 1)
    let length = 0
    for (let n = -1; n !== 0; length += n) n = readSync(file, bytes, { offset: length })
    return length > maxSmallBytes ? O.none : O.some(decode(bytes.subarray(0, length)))
  } finally {
    closeSync(file)
  }
}

/** Appends the whole text or nothing. Only the owner of a new file can read it. Left says why it cannot be written. */
export const appendToFile = (path: string, text: string): E.Either<string, void> =>
  E.tryCatch(
    () => append(path, text),
    error => `it cannot be written (${codeTextOf(error)})`,
  )

const append = (path: string, text: string): void => {
  const file = openSync(path, 'a', 0o600)
  const { size } = fstatSync(file)
  try {
    writeFileSync(file, text)
  } catch (error) {
    // a full disk may have taken a part
    ftruncateSync(file, size)
    throw error
  } finally {
    closeSync(file)
  }
}

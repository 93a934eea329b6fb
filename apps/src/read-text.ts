import { readFileSync } from 'node:fs'
import { codeOf, errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'

/** Reads a text file, without a byte order mark. Left is the code of the system's error, such as ENOENT. */
export const readText = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => readFileSync(path, 'utf8').replace(/^\uFEFF/, ''),
    error => String(codeOf(error) ?? errorMessage(error)),
  )

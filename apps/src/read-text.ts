import { readFileSync } from 'node:fs'
import { codeOf, errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'

/** Reads a file in UTF-8, without its byte order mark. Left is the code of the error, such as ENOENT. */
export const readText = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)),
    error => String(codeOf(error) ?? errorMessage(error)),
  )

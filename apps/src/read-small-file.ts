import { readFileSync, statSync } from 'node:fs'
import { codeOf } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'

const maxBytes = 1024 * 1024

/**
 * Reads a file. Returns None if it does not exist. Left is a sentence without its subject: the caller prepends the
 * path. Only a regular file is read, because reading a pipe or a device could block forever.
 */
export const readSmallFile = (path: string): E.Either<string, O.Option<string>> => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return E.right(O.none)
    if (!stats.isFile()) return E.left('is not a regular file')
    if (stats.size > maxBytes) return E.left('is larger than 1 MiB')
    return E.right(O.some(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')))
  } catch (error) {
    return E.left(`cannot be read (${codeOf(error) ?? error})`)
  }
}

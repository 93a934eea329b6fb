import { type RowFailure, rowFailure } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'

const advice =
  'Check that its parent exists, that this user may write to it, and that the disk works and has space. If it lost a file, restore a backup'

/** Tells why a directory cannot be opened. */
export const openingFailure = (error: unknown): RowFailure => {
  // classic-level wraps the error of LevelDB
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (codeOf(cause) === 'LEVEL_LOCKED')
    return rowFailure('is in use by another process. Stop that process, or use another directory')
  const { message } = E.toError(cause)
  if (codeOf(cause) === 'LEVEL_CORRUPTION') return damaged(message)
  return rowFailure(`cannot be used (${message}). ${advice}`)
}

export const damaged = (detail: string): RowFailure =>
  rowFailure(`is damaged (${detail}). Restore it from a backup, or move it away to start without snippets`)

/** Returns the `code` of an error of Node.js or LevelDB, such as ENOENT. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

import { codeOf, errorMessage } from '@snippets/domain/values/error.js'

const advice =
  'Check that its parent exists, that this user may write to it, and that the disk has space. If it lost a file, restore a backup'

/** Returns the reason why a directory cannot be opened, as in a `RowResult`. */
export const openingFailure = (error: unknown): string => {
  // classic-level wraps the error of LevelDB
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (codeOf(cause) === 'LEVEL_LOCKED')
    return 'is in use by another process. Stop that process, or use another directory'
  const detail = errorMessage(cause)
  if (codeOf(cause) === 'LEVEL_CORRUPTION') return damageMessage(detail)
  return `cannot be used (${detail}). ${advice}`
}

export const damageMessage = (detail: string): string =>
  `is damaged (${detail}). Restore it from a backup, or move it away to start without snippets`

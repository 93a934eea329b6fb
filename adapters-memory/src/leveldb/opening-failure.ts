import { codeOf, errorMessage } from '@snippets/domain/values/error.js'

/** Returns the reason why a directory cannot be opened. It has no subject: callers prepend the path. */
export const openingFailure = (error: unknown): string => {
  // classic-level wraps the error of LevelDB
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (codeOf(cause) === 'LEVEL_LOCKED')
    return 'is in use by another process. Stop that process, or use another directory'
  const detail = errorMessage(cause)
  return codeOf(cause) === 'LEVEL_CORRUPTION' ? damageMessage(detail) : `cannot be used (${detail})`
}

export const damageMessage = (detail: string): string =>
  `is damaged (${detail}). Restore it from a backup, or move it away to start without snippets`

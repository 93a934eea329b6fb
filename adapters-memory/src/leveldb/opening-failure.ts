import { codeOf, errorMessage } from '@snippets/domain/values/error.js'

/** Returns why a directory cannot be opened, and the remedy. The message has no subject: callers prepend the path. */
export const openingFailure = (error: unknown): string => {
  const cause = rootCause(error)
  const detail = errorMessage(cause)
  const code = codeOf(cause)
  switch (code) {
    case 'LEVEL_LOCKED':
      return 'is in use by another process. Stop that process, or use another directory'
    case 'ENOENT':
      return 'cannot be created (ENOENT). Create its parent directory first, or use another directory'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'is not a directory. Use another path'
    case 'ELOOP':
      return 'is a loop of symbolic links. Use another path'
    case 'EACCES':
    case 'EPERM':
      return `cannot be written (${code}). Grant the user of this process write permission`
    case 'EROFS':
      return 'is on a read-only file system (EROFS). Make it writable, with ReadWritePaths under systemd, or use another directory'
    case 'LEVEL_IO_ERROR':
      return `cannot be used (${detail}). Check its permissions, and the free space and health of its disk`
    default:
      // all other errors of LevelDB mean damaged files
      return String(codeOf(error)).startsWith('LEVEL_') ? damageMessage(detail) : `cannot be used (${detail})`
  }
}

/** Returns the innermost cause: classic-level wraps the errors of LevelDB. */
const rootCause = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error

export const damageMessage = (detail: string): string =>
  `is damaged (${detail}). Restore it from a backup, or move it away to start without snippets`

import { codeOf, rootCause } from './level.js'

/** What is wrong with a directory that cannot be opened, and what to do about it. A sentence without its subject. */
export const openingFailure = (error: unknown): string => {
  const cause = rootCause(error)
  const detail = cause instanceof Error ? cause.message : String(cause)
  const [line = ''] = detail.split('\n')
  if (/cannot find|native build|dlopen|invalid ELF/i.test(line))
    return `cannot be opened, because LevelDB cannot be loaded (${line}). Install the dependencies again`
  if (codeOf(cause) === 'LEVEL_LOCKED') return 'is in use by another process. Stop that one, or use another directory'
  if (/permission denied|read-only file system|not permitted/i.test(detail))
    return `cannot be written (${detail}). Give the user of this process the right to write there`
  if (/no space left|quota exceeded/i.test(detail)) return `is on a disk that is full (${detail}). Make room there`
  if (/too many open files/i.test(detail)) return `cannot be opened (${detail}). Raise the limit of open files`
  return damaged(detail)
}

export const damaged = (detail: string): string =>
  `is damaged (${detail}). Restore it from a backup, or move it away to start without snippets`

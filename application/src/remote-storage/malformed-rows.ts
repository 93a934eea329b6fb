import type { Log } from './log.js'

/** The limit of rows that are logged and counted. */
const maxRows = 1000

/** Logs and counts each malformed row once, although lists read it again and again. */
export const malformedRows = (log: Log) => {
  const seen = new Set<string>()
  return {
    note: (cause: unknown): void => {
      const row = cause instanceof Error ? cause.message : ''
      if (seen.has(row) || seen.size >= maxRows) return
      seen.add(row)
      log.warn({ row }, 'lists leave out a malformed row: correct its texts with a PUT, or delete it')
    },
    count: () => seen.size,
  }
}

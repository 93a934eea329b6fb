import type { Log } from '../log.js'

/** The limit of rows that are logged and counted. */
const maxRows = 1000

/** Logs and counts each reason once, because lists read a malformed row repeatedly. A reason usually names one row. */
export const malformedRows = (log: Log) => {
  const seen = new Set<string>()
  return {
    note: (cause: unknown): void => {
      const reason = cause instanceof Error ? cause.message : ''
      if (seen.has(reason) || seen.size >= maxRows) return
      seen.add(reason)
      log.warn(
        { reason },
        'lists leave out a malformed row: PUT or DELETE the snippet, or correct the user in the database',
      )
    },
    count: () => seen.size,
  }
}

import type { Log } from '../log.js'

export type OutageLog = Readonly<{ failed: (cause: unknown) => void; worked: () => void }>

/** What ends with the storage is no outage. */
export const storageClosed = new Error('not sent: the storage is closed')

/** An outage is over when an operation has worked and none has failed for this long after it. */
const quietMs = 1000

/** Logs the cause of an outage when it begins, and once that it is over. */
export const outageLog = (log: Log): OutageLog => {
  let since: number | undefined
  let failures = 0
  let quiet: NodeJS.Timeout | undefined
  const end = (begun: number): void => {
    log.info({ failures, ms: Math.round(performance.now() - begun) }, 'the database works again')
    since = undefined
    quiet = undefined
  }
  return {
    failed: cause => {
      if (cause === storageClosed) return
      clearTimeout(quiet)
      quiet = undefined
      if (since === undefined) {
        since = performance.now()
        failures = 0
        log.warn({ err: cause }, 'the database fails; until it works again, each failed request gets one short line')
      }
      failures++
    },
    worked: () => {
      if (since !== undefined) quiet ??= setTimeout(end, quietMs, since).unref()
    },
  }
}

import type { Log } from './log.js'
import { LoggableError, loggableError } from './loggable-error.js'
import type { Timers } from './timers.js'

export type OutageLog = Readonly<{ failed: (cause: unknown) => void; worked: () => void }>

/** Operations that fail because the storage is closed are not an outage. */
export const storageClosed = new LoggableError('not sent: the storage is closed')

/** An outage is over when an operation has worked and none has failed for this long after it. */
const endsAfterMs = 1000

/** Logs each kind of cause once in an outage, and the end of the outage. */
export const outageLog = (log: Log, timers: Timers): OutageLog => {
  const kinds = new Set<string>()
  let since: number | undefined
  let failures = 0
  let cancelEnd: (() => void) | undefined
  const end = (begun: number): void => {
    log.info({ failures, ms: Math.round(timers.now() - begun) }, 'the database works again')
    since = undefined
    cancelEnd = undefined
    failures = 0
    kinds.clear()
  }
  return {
    failed: cause => {
      if (cause === storageClosed) return
      cancelEnd?.()
      cancelEnd = undefined
      since ??= timers.now()
      failures++
      const err = loggableError(cause)
      const kind = `${err.name} ${'code' in err ? err.code : ''}`
      if (kinds.has(kind)) return
      kinds.add(kind)
      log.warn({ err }, 'the database fails; until it works again, failed requests have short lines')
    },
    worked: () => {
      if (since === undefined) return
      const begun = since
      cancelEnd ??= timers.after(endsAfterMs, () => end(begun))
    },
  }
}

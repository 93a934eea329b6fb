import type { Log } from '../log.js'
import { LoggableError, redactError } from './loggable-error.js'
import type { Timers } from './timers.js'

export type OutageLog = Readonly<{ failed: (cause: unknown) => void; succeeded: () => void }>

/** The error of operations on a closed storage. It does not count as an outage. */
export const storageClosed = new LoggableError('not sent: the storage is closed')

/** An outage ends this long after a success, if no failure follows. */
const endsAfterMs = 1000

/** Logs each kind of cause once per outage, and the end of the outage. */
export const outageLog = (log: Log, timers: Timers): OutageLog => {
  const kinds = new Set<string>()
  let since: number | undefined
  let failures = 0
  let cancelEnd: (() => void) | undefined
  const end = (startedAt: number): void => {
    log.info({ failures, ms: Math.round(timers.now() - startedAt) }, 'the database works again')
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
      const err = redactError(cause)
      const kind = `${err.name} ${'code' in err ? err.code : ''}`
      if (kinds.has(kind)) return
      kinds.add(kind)
      log.warn({ err }, 'the database fails; until it works again, failed requests are logged without a stack trace')
    },
    succeeded: () => {
      if (since === undefined) return
      const startedAt = since
      cancelEnd ??= timers.after(endsAfterMs, () => end(startedAt))
    },
  }
}

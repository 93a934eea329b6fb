import type { Log } from '@snippets/domain/ports/log.js'
import { redactError } from './redaction.js'

const warningPauseMs = 10_000

/**
 * Creates a function that logs causes without user data. Causes of one name and code are logged at most once in ten
 * seconds.
 */
export const createRateLimitedWarning = (log: Log, message: string) => {
  const loggedAt = new Map<string, number>()
  return (cause: unknown): void => {
    const err = redactError(cause)
    const kind = `${err.name} ${'code' in err ? err.code : ''}`
    const time = Date.now()
    // a clock that was set back must not silence a warning
    if (Math.abs(time - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY)) < warningPauseMs) return
    loggedAt.set(kind, time)
    log.warn({ err }, message)
  }
}

/** Creates callbacks that log the failures of a database, and the first success after ten seconds without a failure. */
export const createOutageLog = (log: Log, database: string) => {
  const warn = createRateLimitedWarning(log, `${database} fails`)
  let failedAt: number | undefined
  return {
    onFailure: (cause: unknown): void => {
      failedAt = Date.now()
      warn(cause)
    },
    onSuccess: (): void => {
      if (failedAt === undefined || Math.abs(Date.now() - failedAt) < warningPauseMs) return
      log.info({ lastFailure: new Date(failedAt) }, `${database} works again`)
      failedAt = undefined
    },
  }
}

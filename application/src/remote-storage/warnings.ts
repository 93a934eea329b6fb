import type { Log } from '../log.js'
import { redactError } from './loggable-error.js'

const pauseMs = 10_000

/** Creates a function that logs causes without user data. Causes of one name and code are logged every ten seconds. */
export const rateLimitedWarning = (log: Log, message: string, now: () => number = Date.now) => {
  const loggedAt = new Map<string, number>()
  return (cause: unknown): void => {
    const err = redactError(cause)
    const kind = `${err.name} ${'code' in err ? err.code : ''}`
    const time = now()
    if (time - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < pauseMs) return
    loggedAt.set(kind, time)
    log.warn({ err }, message)
  }
}

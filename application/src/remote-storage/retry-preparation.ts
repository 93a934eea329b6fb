import type { Log } from '../log.js'
import { redactError } from './loggable-error.js'
import type { Timers } from './timers.js'

const shortestPauseMs = 500

/**
 * Retries the preparation of a database until it succeeds. Logs a failure if it differs from the previous one. The
 * pauses double while the database answers with errors, because the work may be expensive. Otherwise they stay short.
 * An attempt has no deadline, because an index build may take hours. Each step MUST fail if its connection is lost.
 */
export const retryPreparation = (
  log: Log,
  timers: Timers,
  isServerError: (error: unknown) => boolean,
  work: () => Promise<void>,
  longestPauseMs = 30_000,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  let cancel = (): void => {}
  let isStopped = false
  let lastReason = ''
  let pauseMs = shortestPauseMs
  const done = new Promise<void>(resolve => {
    const attempt = async (): Promise<void> => {
      try {
        await work()
        resolve()
        if (lastReason !== '') log.info({}, 'the database is prepared')
      } catch (error) {
        if (isStopped) return
        const err = redactError(error)
        const reason = 'code' in err ? `${err} (${err.code})` : String(err)
        if (reason !== lastReason) log.warn({ reason }, 'the database is not prepared yet; trying again')
        lastReason = reason
        cancel = timers.after(pauseMs, attempt)
        pauseMs = isServerError(error) ? Math.min(pauseMs * 2, longestPauseMs) : shortestPauseMs
      }
    }
    void attempt()
  })
  const stop = (): void => {
    isStopped = true
    cancel()
  }
  return { done, stop }
}

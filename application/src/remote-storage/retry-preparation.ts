import type { Log } from '../log.js'
import { redactError } from './loggable-error.js'
import type { Timers } from './operation.js'

/** The default pause: short, so that the preparation follows soon after an outage. */
export const retryPauseMs = 500

/**
 * Retries the preparation of a database until it succeeds. Logs a failure if it differs from the previous one. An
 * attempt has no deadline, because building an index may take hours: each step MUST fail if its connection is lost.
 */
export const retryPreparation = (
  log: Log,
  timers: Timers,
  work: () => Promise<void>,
  pauseAfter: (error: unknown) => number = () => retryPauseMs,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  let cancel = (): void => {}
  let isStopped = false
  let lastReason = ''
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
        cancel = timers.after(pauseAfter(error), attempt)
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

import type { Log } from './log.js'
import { loggableError } from './loggable-error.js'
import type { Timers } from './timers.js'

const shortestPauseMs = 500
const longestPauseMs = 30_000

/**
 * Runs the work again and again until it succeeds. A failure is logged unless it is the same as the last one. The pauses
 * double while the database answers with errors, as the work may be expensive; they stay short while it does not answer.
 */
export const keepTrying = (
  log: Log,
  timers: Timers,
  isAnswer: (error: unknown) => boolean,
  work: () => Promise<void>,
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
        const reason = String(loggableError(error))
        if (reason !== lastReason) log.warn({ reason }, 'the database is not prepared yet; trying again')
        lastReason = reason
        cancel = timers.after(pauseMs, attempt)
        pauseMs = isAnswer(error) ? Math.min(pauseMs * 2, longestPauseMs) : shortestPauseMs
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

import type { Log } from '../log.js'

const pauseMs = 500

/** Runs the work again and again until it succeeds. A failure is logged unless it is the same as the last. */
export const keepTrying = (
  log: Log,
  work: () => Promise<void>,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  let timer: NodeJS.Timeout | undefined
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
        const reason = String(error)
        if (reason !== lastReason) log.warn({ reason }, 'the database is not prepared yet; trying again')
        lastReason = reason
        timer = setTimeout(attempt, pauseMs)
      }
    }
    void attempt()
  })
  const stop = (): void => {
    isStopped = true
    clearTimeout(timer)
  }
  return { done, stop }
}

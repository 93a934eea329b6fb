import type { Log } from '../log.js'
import type { OutageLog } from './outage-log.js'

const pauseMs = 500

/** Runs the work again and again until it succeeds. A failure is named unless it is the same as the last. */
export const keepTrying = (
  log: Log,
  outages: OutageLog,
  work: () => Promise<void>,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  const { noteSuccess, noteFailure } = changesOf(log, outages)
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const done = new Promise<void>(resolve => {
    const attempt = async (): Promise<void> => {
      try {
        await work()
        resolve()
        noteSuccess()
      } catch (error) {
        if (isStopped) return
        noteFailure(error)
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

const changesOf = (log: Log, { failed, worked }: OutageLog) => {
  let lastReason = ''
  return {
    noteSuccess: (): void => {
      worked()
      if (lastReason !== '') log.info({}, 'the database is prepared')
    },
    noteFailure: (error: unknown): void => {
      failed(error)
      const reason = String(error)
      if (reason !== lastReason) log.warn({ reason }, 'the database is not prepared yet; trying again')
      lastReason = reason
    },
  }
}

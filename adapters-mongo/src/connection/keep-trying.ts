import type { Log } from '../log.js'

const pauseMs = 500

/** Runs the work again and again until it succeeds. A failure is logged unless it is the same as the last. */
export const keepTrying = (
  work: () => Promise<void>,
  log: Log,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  const { noteSuccess, noteFailure } = changesOf(log)
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

const changesOf = (log: Log) => {
  let lastFailure = ''
  return {
    noteSuccess: (): void => {
      if (lastFailure !== '') log.info({}, 'the database is prepared')
    },
    noteFailure: (error: unknown): void => {
      const failure = String(error)
      if (failure !== lastFailure) log.warn({ err: error }, 'the database is not prepared yet; trying again')
      lastFailure = failure
    },
  }
}

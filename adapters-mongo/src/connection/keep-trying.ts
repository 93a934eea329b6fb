import type { Log } from './log.js'

const pauseMs = 500

/** Runs the work until it succeeds once. A fault is logged when it is another than the last. */
export const keepTrying = (
  work: () => Promise<void>,
  log: Log,
): Readonly<{ done: Promise<void>; stop: () => void }> => {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let lastFault = ''

  const done = new Promise<void>(resolve => {
    const attempt = async (): Promise<void> => {
      try {
        await work()
        resolve()
        if (lastFault !== '') log.info({}, 'the database is prepared')
      } catch (error) {
        if (isStopped) return
        const fault = String(error)
        if (fault !== lastFault) log.warn({ err: error }, 'the database is not prepared yet; trying again')
        lastFault = fault
        timer = setTimeout(attempt, pauseMs)
      }
    }
    void attempt()
  })

  return {
    done,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

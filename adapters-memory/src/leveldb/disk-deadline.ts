import { setTimeout as pause, setImmediate } from 'node:timers/promises'

const tickMs = 100
const maxTicks = 20

/**
 * Rejects if the work takes more than two seconds. It counts ticks of a timer: while the process is suspended or the event
 * loop is blocked, only one tick passes.
 */
export const withinDiskDeadline = async (work: Promise<unknown>): Promise<void> => {
  const ended = new AbortController()
  const timeOut = async (): Promise<never> => {
    for (let tick = 0; tick < maxTicks; tick++) await pause(tickMs, undefined, { signal: ended.signal })
    // the event loop first polls the I/O that has completed
    await setImmediate()
    throw new Error(`the disk did not answer within ${tickMs * maxTicks} ms`)
  }
  await Promise.race([work, timeOut()]).finally(() => ended.abort())
}

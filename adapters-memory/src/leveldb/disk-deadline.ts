import { setTimeout as pause, setImmediate } from 'node:timers/promises'

const tickMs = 100
/** A disk that takes longer has failed. */
const maxTicks = 20

/** Rejects after two seconds. It counts ticks, of which a suspended process and a blocked event loop miss all but one. */
export const withinDiskDeadline = async (work: Promise<unknown>): Promise<void> => {
  const ended = new AbortController()
  const timeOut = async (): Promise<never> => {
    for (let tick = 0; tick < maxTicks; tick++) await pause(tickMs, undefined, { signal: ended.signal })
    // I/O that has completed in the meantime is polled first
    await setImmediate()
    throw new Error(`the disk did not answer within ${tickMs * maxTicks} ms`)
  }
  await Promise.race([work, timeOut()]).finally(() => ended.abort())
}

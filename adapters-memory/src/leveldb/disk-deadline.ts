import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'

/** The longest time from the call of a write until its batch is on the disk. The rest is for the event loop. */
export const maxDiskMs = 0.8 * maxAnswerMs
const tickMs = 100

/**
 * Rejects if the work takes longer than `ms`. Counts ticks instead of the time, so that the work does not time out when
 * a suspended process resumes.
 */
export const withinDiskDeadline = async (work: Promise<unknown>, ms = maxDiskMs): Promise<void> => {
  const ended = new AbortController()
  const timeOut = async (): Promise<never> => {
    for (let tick = 0; tick < ms / tickMs; tick++) await pause(tickMs, undefined, { signal: ended.signal })
    // the event loop first polls the I/O that has completed
    await nextTurn()
    throw new Error('the disk did not answer in time')
  }
  await Promise.race([work, timeOut()]).finally(() => ended.abort())
}

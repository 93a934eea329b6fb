const tickMs = 100
/** A disk that takes longer has failed. */
const maxTicks = 20

/**
 * Rejects when the work takes more than two seconds. It counts ticks of a timer, of which a suspended process and a blocked
 * event loop miss all but one.
 */
export const inTime = async (work: Promise<unknown>): Promise<void> => {
  let ticks = 0
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<never>((_, reject) => {
    const error = new Error(`the disk did not answer within ${tickMs * maxTicks} ms`)
    timer = setInterval(() => {
      // after the last tick, I/O that has completed meanwhile is polled first
      if (++ticks === maxTicks) setImmediate(reject, error)
    }, tickMs)
  })
  try {
    await Promise.race([work, timedOut])
  } finally {
    clearInterval(timer)
  }
}

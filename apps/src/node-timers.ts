import type { Timers } from '@snippets/application/remote-storage/timers.js'

/** After a pause of this process, Node runs the timers before it reads; immediates run after it has read. */
export const nodeTimers: Timers = {
  now: () => performance.now(),
  after: (ms, run) => {
    let immediate: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      immediate = setImmediate(run)
    }, ms)
    return () => {
      clearTimeout(timer)
      clearImmediate(immediate)
    }
  },
}

import type { Timers } from '@snippets/application/remote-storage/timers.js'

/** The timers of Node.js. After a pause of the process, Node runs expired timers before it polls I/O. An immediate runs after both. */
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

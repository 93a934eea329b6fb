import type { Timers } from '@snippets/application/remote-storage/timers.js'

/** Timers that run in an immediate: after a pause of the process, Node runs expired timers before it polls I/O. */
export const nodeTimers: Timers = {
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

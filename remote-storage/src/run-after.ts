/**
 * Runs the function after `ms` milliseconds, in an immediate: after a pause of the process, Node runs expired timers
 * before it polls I/O, and an answer that has arrived by then must win. Returns a function that cancels it.
 */
export const runAfter = (ms: number, run: () => void): (() => void) => {
  let immediate: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    immediate = setImmediate(run)
  }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/** The clock and the timers of the runtime. */
export type Timers = Readonly<{
  /** Returns milliseconds of a monotonic clock. */
  now: () => number
  /** Runs the function after `ms` milliseconds, once the input that has arrived by then was read. Returns a function that cancels it. */
  after: (ms: number, run: () => void) => () => void
}>

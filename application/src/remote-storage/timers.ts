/** The timers of the runtime. */
export type Timers = Readonly<{
  /**
   * Runs the function after `ms` milliseconds, and after the event loop has polled the I/O that completed by then.
   * Returns a function that cancels it.
   */
  after: (ms: number, run: () => void) => () => void
}>

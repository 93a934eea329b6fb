/** The clock and the timers of the runtime. */
export type Timers = Readonly<{
  /** Milliseconds since some moment. The clock never goes back. */
  now: () => number
  /** Runs this later, and then only after input that has arrived by then was read. The result cancels it. */
  after: (ms: number, run: () => void) => () => void
}>

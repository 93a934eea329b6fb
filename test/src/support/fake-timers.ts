import type { Timers } from '@snippets/application/remote-storage/operation.js'

/** Creates timers whose time passes only in `pass`, so that tests of long times are fast. */
export const fakeTimers = () => {
  const pending = new Set<Readonly<{ at: number; run: () => void }>>()
  let now = 0
  const timers: Timers = {
    after: (ms, run) => {
      const timer = { at: now + ms, run }
      pending.add(timer)
      return () => void pending.delete(timer)
    },
  }
  const pass = async (ms: number): Promise<void> => {
    for (const end = now + ms; now < end; ) {
      now++
      for (const timer of pending)
        if (timer.at <= now) {
          pending.delete(timer)
          timer.run()
        }
      await new Promise(setImmediate)
    }
  }
  return { timers, pass }
}

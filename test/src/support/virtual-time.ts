export type VirtualTime = Readonly<{
  /** Advances the clock one millisecond at a time, and runs the timers that are due. */
  pass: (ms: number) => Promise<void>
  end: () => void
}>

/** Replaces `performance.now` and `setTimeout` until `end`, so that tests of long times are fast. */
export const virtualTime = (): VirtualTime => {
  const real = setTimeout
  const due = new Map<number, (() => void)[]>()
  let now = 1
  const later = (run: () => void, ms = 0): object => {
    const at = Math.max(now + 1, Math.ceil(now + ms))
    due.set(at, [...(due.get(at) ?? []), run])
    const timer = { unref: () => timer }
    return timer
  }
  Object.assign(globalThis, { setTimeout: later })
  Object.assign(performance, { now: () => now })
  return {
    pass: async ms => {
      for (let i = 0; i < ms; i++) {
        now++
        for (const run of due.get(now) ?? []) run()
        due.delete(now)
        await new Promise(setImmediate)
      }
    },
    end: () => {
      globalThis.setTimeout = real
      // restores the clock's own method
      Reflect.deleteProperty(performance, 'now')
    },
  }
}

export type VirtualTime = Readonly<{
  /** Lets so many milliseconds pass, each with its timers and all that they begin. Calls `each` in every one. */
  pass: (ms: number, each?: () => void) => Promise<void>
  end: () => void
}>

/** Stands in for `performance.now` and `setTimeout` until `end`, so that what takes seconds takes none. */
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
    pass: async (ms, each = () => {}) => {
      for (let i = 0; i < ms; i++) {
        now++
        for (const run of due.get(now) ?? []) run()
        due.delete(now)
        each()
        await new Promise(setImmediate)
      }
    },
    end: () => {
      globalThis.setTimeout = real
      // what remains is the clock's own method
      Reflect.deleteProperty(performance, 'now')
    },
  }
}

/** Replaces the clock: each reading advances it by this many milliseconds. */
export const onClock = async <A>(msEach: number, run: () => Promise<A>): Promise<A> => {
  let now = 0
  Object.assign(performance, { now: () => (now += msEach) })
  try {
    return await run()
  } finally {
    // the method of the prototype remains
    Reflect.deleteProperty(performance, 'now')
  }
}

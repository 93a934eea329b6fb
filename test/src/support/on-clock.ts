import { mock } from 'node:test'

/** Replaces the clock: each reading advances it by this many milliseconds. */
export const onClock = <A>(msEach: number, run: () => Promise<A>): Promise<A> => {
  let now = 0
  const clock = mock.method(performance, 'now', () => (now += msEach))
  return run().finally(() => clock.mock.restore())
}

import { mock } from 'node:test'

/** Replaces the timers of Node during each test of the suite. Time passes only in the returned function. */
export const mockTime = (): ((ms: number) => Promise<void>) => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())
  return async ms => {
    for (let passed = 0; passed < ms; passed++) {
      mock.timers.tick(1)
      await new Promise(setImmediate)
    }
  }
}

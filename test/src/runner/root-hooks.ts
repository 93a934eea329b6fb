import { setImmediate as turn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { config } from 'chai'

/** Mocha ignores unhandled rejections and can miss uncaught exceptions between tests; these hooks fail the run. */
const events = ['unhandledRejection', 'uncaughtException'] as const

/** Node only warns of listeners that are never removed. */
const leakWarning = 'MaxListenersExceededWarning'

// the default, 40 characters, hides the value that a failure is about
config.truncateThreshold = 500

const seen: string[] = []
let running = 'before the first test'

const note = (reason: unknown): void =>
  void seen.push(`${running}: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`)

const noteLeak = (warning: Error): void => {
  if (warning.name === leakWarning) note(warning)
}

/** Replaces the compared values by texts: a worker sends errors as JSON, which has no bigint. */
const makeSerialisable = (error: Error & { actual?: unknown; expected?: unknown }): void => {
  for (const name of ['actual', 'expected'] as const)
    if (name in error && typeof error[name] !== 'string') error[name] = inspect(error[name], { depth: 9, sorted: true })
}

/** Root hooks of mocha, which run for each file. A worker drops all listeners after a file. */
export const mochaHooks = {
  beforeAll(): void {
    for (const event of events) process.on(event, note)
    process.on('warning', noteLeak)
  },
  beforeEach(this: Mocha.Context): void {
    running = this.currentTest?.fullTitle() ?? ''
  },
  afterEach(this: Mocha.Context): void {
    const error = this.currentTest?.err
    if (error !== undefined) makeSerialisable(error)
  },
  async afterAll(): Promise<void> {
    // Node reports a rejection in the next turn of the event loop
    await turn()
    for (const event of events) process.off(event, note)
    process.off('warning', noteLeak)
    const found = seen.splice(0)
    if (found.length > 0) throw new Error(`unhandled errors:\n${found.join('\n')}`)
  },
}

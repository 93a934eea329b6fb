import { setImmediate as turn } from 'node:timers/promises'

/** Mocha ignores unhandled rejections and can miss uncaught exceptions between tests; these hooks fail the run. */
const events = ['unhandledRejection', 'uncaughtException'] as const

const seen: string[] = []
let running = 'before the first test'

const note = (reason: unknown): void =>
  void seen.push(`${running}: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`)

/** Root hooks of mocha, which run for each file. A worker drops all listeners after a file. */
export const mochaHooks = {
  beforeAll(): void {
    for (const event of events) process.on(event, note)
  },
  beforeEach(this: Mocha.Context): void {
    running = this.currentTest?.fullTitle() ?? ''
  },
  async afterAll(): Promise<void> {
    // Node reports a rejection in the next turn of the event loop
    await turn()
    for (const event of events) process.off(event, note)
    const found = seen.splice(0)
    if (found.length > 0) throw new Error(`unhandled errors:\n${found.join('\n')}`)
  },
}

import { setImmediate as turn } from 'node:timers/promises'

/** Mocha fails a test for an uncaught exception, but hands an unhandled rejection to nobody. */
const seen: string[] = []
let running = 'before the first test'

const note = (reason: unknown): void =>
  void seen.push(`${running}: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`)

/** Root hooks of mocha, which run for each file. A worker drops all listeners after a file. */
export const mochaHooks = {
  beforeAll(): void {
    process.on('unhandledRejection', note)
  },
  beforeEach(this: Mocha.Context): void {
    running = this.currentTest?.fullTitle() ?? ''
  },
  async afterAll(): Promise<void> {
    // Node reports a rejection once the event loop turns
    await turn()
    process.off('unhandledRejection', note)
    const found = seen.splice(0)
    if (found.length > 0) throw new Error(`unhandled rejections:\n${found.join('\n')}`)
  },
}

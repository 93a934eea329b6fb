import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Mocha from 'mocha'

export type Report = Readonly<{ tests: readonly ReportedTest[] }>

type ReportedTest = Readonly<{
  file: string | undefined
  title: string
  state: 'passed' | 'failed' | 'skipped'
  ms: number
  error?: string
}>

/** For people to read while the tests run, and for programs as a file when they have ended. */
class DotAndReport extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const tests: ReportedTest[] = []
    const add = (test: Mocha.Test, state: ReportedTest['state'], error?: Error) =>
      tests.push({
        file: test.file,
        title: test.fullTitle(),
        state,
        ms: test.duration ?? 0,
        ...(error && { error: error.stack ?? error.message }),
      })
    runner.on('pass', test => add(test, 'passed'))
    runner.on('pending', test => add(test, 'skipped'))
    runner.on('fail', (test, error) => add(test, 'failed', error))
    runner.once('end', () => {
      const file = options.reporterOptions.output
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify({ tests } satisfies Report, undefined, 2))
    })
  }
}

// the name under which require finds it, and mocha requires reporters
export { DotAndReport as 'module.exports' }

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

/** Prints dots while the tests run, and writes a JSON report at the end. */
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

// mocha loads reporters with require, which takes this export of an ES module
export { DotAndReport as 'module.exports' }

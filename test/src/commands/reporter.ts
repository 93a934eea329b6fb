import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Mocha from 'mocha'

type State = 'passed' | 'failed' | 'skipped'
type ReportedTest = Readonly<{ file: string | undefined; title: string; state: State; ms: number; error?: string }>
export type Report = Readonly<{ tests: readonly ReportedTest[] }>

/** Prints dots, prints each failure at once, in case the run is interrupted, and writes a JSON report at the end. */
class DotAndReport extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const tests: ReportedTest[] = []
    const add = (test: Mocha.Test, state: State, error?: string): void => {
      const { file, duration: ms = 0 } = test
      tests.push({ file, title: test.fullTitle(), state, ms, ...(error !== undefined && { error }) })
    }
    runner.on('pass', test => add(test, 'passed'))
    runner.on('pending', test => add(test, 'skipped'))
    runner.on('fail', (test, { stack, message }: Partial<Error>) => {
      // an error of another V8 context arrives from the worker process without its message and stack
      const error = stack ?? message ?? 'an error without message and stack'
      add(test, 'failed', error)
      console.log(`\nFAILED: ${test.fullTitle()}\n    ${error.split('\n').slice(0, 6).join('\n    ')}`)
    })
    runner.once('end', () => {
      const file = options.reporterOptions.output
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify({ tests } satisfies Report, undefined, 2))
    })
  }
}

// mocha loads reporters with require, which returns this export of an ES module
export { DotAndReport as 'module.exports' }

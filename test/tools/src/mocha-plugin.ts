import { delimiter } from 'node:path'
import { mochaHooks } from '@snippets/test/runner/root-hooks.js'
import {
  type CoverageData,
  type CoveragePerTestId,
  INSTRUMENTER_CONSTANTS,
  type InstrumenterContext,
} from '@stryker-mutator/api/core'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner'
import Mocha from 'mocha'

const hooksOf = (suite: Mocha.Suite): string => `hooks of ${suite.fullTitle()}`

/** Adds the coverage of a suite's hooks to each of its tests. */
const shareHooks = (suite: Mocha.Suite, perTest: CoveragePerTestId, outer: CoverageData = {}): void => {
  const ofHooks = { ...outer, ...perTest[hooksOf(suite)] }
  delete perTest[hooksOf(suite)]
  for (const test of suite.tests) perTest[test.fullTitle()] = { ...ofHooks, ...perTest[test.fullTitle()] }
  for (const inner of suite.suites) shareHooks(inner, perTest, ofHooks)
}

/** Runs mocha 12 for StrykerJS. Its own runner supports mocha 12 from version 10 on, which needs Node.js 22. */
const mochaRunner = (): TestRunner => {
  const context: InstrumenterContext = {}
  Reflect.set(globalThis, INSTRUMENTER_CONSTANTS.NAMESPACE, context)
  const mocha = new Mocha({ timeout: 20_000, bail: true, rootHooks: mochaHooks })
  // this reporter prints nothing
  mocha.cleanReferencesAfterRun(false).reporter(Mocha.reporters.Base)
  for (const file of process.env.MUTATE_TESTS?.split(delimiter) ?? []) mocha.addFile(file)
  mocha.suite.beforeEach(function (this: Mocha.Context) {
    const title = this.currentTest?.fullTitle()
    if (title !== undefined) context.currentTestId = title
  })
  let loading: Promise<void> | undefined
  const load = (): Promise<void> => {
    loading ??= mocha.loadFilesAsync()
    return loading
  }

  const run = async (): Promise<DryRunResult> => {
    await load()
    const tests: TestResult[] = []
    await new Promise<void>(resolve => {
      const runner = mocha.run(() => resolve())
      const resultOf = (test: Mocha.Runnable) => {
        const name = test.fullTitle()
        return { id: name, name, timeSpentMs: test.duration ?? 0 }
      }
      runner.on('suite', suite => {
        context.currentTestId = hooksOf(suite)
      })
      runner.on('pass', test => tests.push({ ...resultOf(test), status: TestStatus.Success }))
      runner.on('pending', test => tests.push({ ...resultOf(test), status: TestStatus.Skipped }))
      runner.on('fail', (test, { message }) =>
        tests.push({ ...resultOf(test), status: TestStatus.Failed, failureMessage: message }),
      )
    })
    const { hitCount, hitLimit, mutantCoverage } = context
    if (mutantCoverage !== undefined) shareHooks(mocha.suite, mutantCoverage.perTest)
    const result = { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) } as const
    return determineHitLimitReached(hitCount, hitLimit) ?? result
  }

  return {
    // an imported module stays loaded, so StrykerJS starts another process to evaluate it again
    capabilities: () => ({ reloadEnvironment: false }),
    dryRun: run,
    mutantRun: async ({ activeMutant, testFilter, hitLimit }) => {
      Object.assign(context, { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 })
      // modules are loaded before the mutant is active
      await load()
      context.activeMutant = activeMutant.id
      const titles = testFilter?.map(title => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      mocha.grep(titles === undefined ? /^/ : new RegExp(`^(?:${titles.join('|')})$`))
      return toMutantRunResult(await run())
    },
  }
}

export const strykerPlugins = [declareValuePlugin(PluginKind.TestRunner, 'mocha-plugin', mochaRunner())]

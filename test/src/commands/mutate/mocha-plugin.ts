import { delimiter } from 'node:path'
import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core'
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
import { mochaHooks } from '../unhandled-errors.js'

/** Runs mocha 12 for StrykerJS, whose own runner ends at mocha 11 (https://stryker-mutator.io/docs/stryker-js/guides/create-a-plugin/). */
const mochaRunner = (): TestRunner => {
  const context: InstrumenterContext = {}
  Reflect.set(globalThis, INSTRUMENTER_CONSTANTS.NAMESPACE, context)
  const mocha = new Mocha({ timeout: 20_000, bail: true, reporter: 'min', rootHooks: mochaHooks })
  mocha.cleanReferencesAfterRun(false).reporter(Silent)
  for (const file of process.env.MUTATE_TESTS?.split(delimiter) ?? []) mocha.addFile(file)
  mocha.suite.beforeEach(function (this: Mocha.Context) {
    const title = this.currentTest?.fullTitle()
    if (title !== undefined) context.currentTestId = title
  })
  let loading: Promise<void> | undefined

  const run = async (activeMutant?: string): Promise<DryRunResult> => {
    loading ??= mocha.loadFilesAsync()
    await loading
    if (activeMutant !== undefined) context.activeMutant = activeMutant
    const tests: TestResult[] = []
    await new Promise<void>(resolve => {
      const runner = mocha.run(() => resolve())
      const known = (test: Mocha.Runnable) => ({
        id: test.fullTitle(),
        name: test.fullTitle(),
        timeSpentMs: test.duration ?? 0,
      })
      runner.on('pass', test => tests.push({ ...known(test), status: TestStatus.Success }))
      runner.on('pending', test => tests.push({ ...known(test), status: TestStatus.Skipped }))
      runner.on('fail', (test, { stack, message }) =>
        tests.push({ ...known(test), status: TestStatus.Failed, failureMessage: stack ?? message }),
      )
    })
    return (
      determineHitLimitReached(context.hitCount, context.hitLimit) ?? {
        status: DryRunStatus.Complete,
        tests,
        ...(context.mutantCoverage && { mutantCoverage: context.mutantCoverage }),
      }
    )
  }

  return {
    // a module that was imported stays loaded, so StrykerJS starts another process where it must be evaluated again
    capabilities: () => ({ reloadEnvironment: false }),
    dryRun: () => run(),
    mutantRun: async ({ activeMutant, testFilter, hitLimit, mutantActivation }) => {
      Object.assign(context, { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 })
      if (mutantActivation === 'static') context.activeMutant = activeMutant.id
      mocha.grep(testFilter === undefined ? /^/ : new RegExp(`^(?:${testFilter.map(escaped).join('|')})$`))
      return toMutantRunResult(await run(activeMutant.id))
    },
  }
}

/** StrykerJS reports what it has found. */
class Silent extends Mocha.reporters.Base {}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export const strykerPlugins = [declareValuePlugin(PluginKind.TestRunner, 'mocha-plugin', mochaRunner())]

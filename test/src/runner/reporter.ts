import Mocha from 'mocha'

/** The parts of a report that its readers need. */
export type Report = Readonly<{
  stats: Readonly<{ passes: number; failures: number }>
  failures: readonly Readonly<{ fullTitle: string; err: Readonly<{ message: string }> }>[]
}>

/** Prints dots, and writes mocha's JSON report to the file in the reporter option `output`. */
class DotAndJson extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    new Mocha.reporters.JSON(runner, options)
  }
}

// mocha loads reporters with require, which returns this export of an ES module
export { DotAndJson as 'module.exports' }

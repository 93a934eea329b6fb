import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { storageNames } from '@snippets/apps/settings/settings.js'
import { root } from '../support/workspace-root.js'
import { openDatabases } from './databases.js'
import { inParallel, mochaCommand, mochaOptions } from './mocha-options.js'
import type { Report } from './reporter.js'
import { dist, isTestFile, testFiles } from './test-files.js'

const isOf =
  (storage: string) =>
  (file: string): boolean =>
    file.startsWith(join(dist, storage, sep))
/** Tests of kills and outages. */
const isFault = (file: string): boolean => basename(dirname(file)) === 'faults'
/** Tests that measure a service and its database under load. They run alone. */
const runsAlone = (file: string): boolean => isFault(file) && !isOf('memory')(file)

const startedAt = performance.now()
const args = process.argv.slice(2)

const lint = [join(root, 'test/node_modules/@biomejs/biome/bin/biome'), 'ci', '--colors=off', '--error-on-warnings']
// a run of selected tests skips the linter
if (args.length === 0 && spawnSync(process.execPath, lint, { cwd: root, stdio: 'inherit' }).status !== 0)
  process.exit(1)

// an interrupt ends mocha, and the databases are stopped afterwards
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())

const { environment, lacking, stop } = await openDatabases(process.env)

const reportOf = (name: string): string =>
  join(dist, `../../reports/${name}-node-${process.versions.node.split('.')[0]}.json`)

/** Returns whether all tests of the files passed. */
const runMocha = async (report: string, files: readonly string[], jobs = inParallel): Promise<boolean> => {
  rmSync(report, { force: true })
  if (files.length === 0 || interrupted.signal.aborted) return true
  const reporter = ['--reporter', join(dist, 'commands/reporter.js'), '--reporter-option', `output=${report}`]
  const mocha = [mochaCommand, ...mochaOptions, ...jobs, ...reporter, ...args.filter(arg => !isTestFile(arg))]
  const child = spawn(process.execPath, ['--enable-source-maps', ...mocha, ...files], {
    stdio: 'inherit',
    env: environment,
    signal: interrupted.signal,
  })
  const [code] = await once(child, 'exit').catch(() => [1])
  if (!existsSync(report)) console.log('The tests ended early, without a report.')
  return code === 0 && existsSync(report)
}

const files = testFiles(args.filter(isTestFile))
const [beside, alone] = [reportOf('tests'), reportOf('database-faults')]
const others = files.filter(file => !runsAlone(file))
const passed = [
  // faults wait most of the time, so they begin first
  await runMocha(beside, [...others.filter(isFault), ...others.filter(file => !isFault(file))]),
  await runMocha(alone, files.filter(runsAlone), []),
]
await stop()

const tests = [beside, alone]
  .filter(report => existsSync(report))
  .flatMap(report => (JSON.parse(readFileSync(report, 'utf8')) as Report).tests)
  .filter(({ state }) => state !== 'skipped')
const failed = tests.filter(({ state }) => state === 'failed').length
const countOf = (storage: string): number =>
  tests.filter(({ file }) => file !== undefined && isOf(storage)(file)).length
console.log(`Tests by storage: ${storageNames.map(name => `${name} ${countOf(name)}`).join(', ')}`)
for (const line of lacking) console.log(line)
if (process.platform === 'win32')
  console.log('Tests that need signals, a POSIX shell, links or file modes are left out.')
console.log(
  `${tests.length - failed} passed, ${failed} failed in ${Math.round((performance.now() - startedAt) / 1000)} s`,
)
const isComplete = tests.length > 0 && lacking.length === 0 && !interrupted.signal.aborted
process.exitCode = passed.every(Boolean) && isComplete ? 0 : 1

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from '../support/workspace-root.js'
import { openDatabases } from './databases.js'
import { inParallel, mochaCommand, mochaOptions } from './mocha-options.js'
import type { Report } from './reporter.js'
import { dist, isTestPath, testFilesIn } from './test-files.js'

/** Tests of kills and outages. */
const isFault = (file: string): boolean => basename(dirname(file)) === 'faults'

const startedAt = performance.now()
const args = process.argv.slice(2)

// an interrupt ends mocha, and the database is stopped afterwards
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())

const databases = await openDatabases()
const env = Object.assign({}, process.env, ...databases.map(({ environment }) => environment))
/** Tests that measure a service and its database under load. */
const runsAlone = (file: string): boolean =>
  databases.some(({ folder }) => dirname(file) === join(dist, folder, 'faults'))

const reportOf = (name: string): string =>
  join(root, `reports/${name}-node-${process.versions.node.split('.')[0]}.json`)

/** Returns whether all tests of the files passed. */
const runMocha = async (report: string, files: readonly string[], jobs = inParallel): Promise<boolean> => {
  rmSync(report, { force: true })
  if (files.length === 0 || interrupted.signal.aborted) return true
  const reporter = ['--reporter', join(dist, 'runner/reporter.js'), '--reporter-option', `output=${report}`]
  const mocha = [mochaCommand, ...mochaOptions, ...jobs, ...reporter, ...args.filter(arg => !isTestPath(arg))]
  const child = spawn(process.execPath, ['--enable-source-maps', ...mocha, ...files], {
    stdio: 'inherit',
    env,
    signal: interrupted.signal,
  })
  const [code] = await once(child, 'exit').catch(() => [1])
  if (!existsSync(report)) console.log('The tests ended early, without a report.')
  return code === 0 && existsSync(report)
}

const files = testFilesIn(args.filter(isTestPath))
const [beside, alone] = [reportOf('tests'), reportOf('database-faults')]
const parallel = files.filter(file => !runsAlone(file))
const passed = [
  // faults wait most of the time, so they begin first
  await runMocha(beside, [...parallel.filter(isFault), ...parallel.filter(file => !isFault(file))]),
  await runMocha(alone, files.filter(runsAlone), []),
]
for (const { stop } of databases) await stop()

let [passes, failures] = [0, 0]
for (const report of [beside, alone].filter(file => existsSync(file))) {
  const { stats }: Report = JSON.parse(readFileSync(report, 'utf8'))
  passes += stats.passes
  failures += stats.failures
}
for (const note of databases.flatMap(({ notes }) => notes)) console.log(note)
const lacksDatabase = databases.some(({ isLacking }) => isLacking)
if (process.platform === 'win32')
  console.log('Tests that need signals, a POSIX shell, links or file modes are left out.')
console.log(`${passes} passed, ${failures} failed in ${Math.round((performance.now() - startedAt) / 1000)} s`)
process.exitCode = passed.every(Boolean) && passes > 0 && !lacksDatabase && !interrupted.signal.aborted ? 0 : 1

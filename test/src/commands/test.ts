import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { storageNames } from '@snippets/apps/storages/storages.js'
import { inParallel, mochaCommand, mochaOptions } from './mocha-options.js'
import { startMongo } from './mongo-container.js'
import type { Report } from './reporter.js'
import { dist, isTestFile, testFiles } from './test-files.js'

/** `REQUIRE_MONGO=1`: fail where the tests on MongoDB cannot run. `WITHOUT_MONGO=1`: leave them out. */
const { MONGODB_URL, REQUIRE_MONGO, WITHOUT_MONGO, ...environment } = process.env

const isOf =
  (storage: string) =>
  (file: string): boolean =>
    file.startsWith(join(dist, storage, sep))
/** Tests that measure latencies under load. They run alone. */
const runsAlone = (file: string): boolean => storageNames.some(name => isOf(join(name, 'faults'))(file))

const args = process.argv.slice(2)

// an interrupt ends mocha, and the container is stopped afterwards
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort())

const reportOf = (name: string): string =>
  join(dist, `../../reports/${name}-node-${process.versions.node.split('.')[0]}.json`)

/** Returns whether all tests of the run passed. */
const runMocha = async (report: string, files: readonly string[], options: readonly string[], url: string) => {
  rmSync(report, { force: true })
  if (files.length === 0 || interrupted.signal.aborted) return true
  const reporter = ['--reporter', join(dist, 'commands/reporter.js'), '--reporter-option', `output=${report}`]
  const mocha = [
    mochaCommand,
    ...mochaOptions,
    ...options,
    ...reporter,
    ...args.filter(arg => !isTestFile(arg)),
    ...files,
  ]
  const child = spawn(process.execPath, ['--enable-source-maps', ...mocha], {
    stdio: 'inherit',
    env: { ...environment, ...(url !== '' && { MONGODB_URL: url }) },
    signal: interrupted.signal,
  })
  const [code] = await once(child, 'exit').catch(() => [1])
  if (!existsSync(report)) console.log('The tests ended early, without a report.')
  return code === 0 && existsSync(report)
}

const cannotStart = (error: unknown) =>
  console.log(`Cannot start MongoDB: ${error instanceof Error ? error.message : error}`)
const container = WITHOUT_MONGO === '1' || MONGODB_URL ? undefined : await startMongo().catch(cannotStart)
const url = WITHOUT_MONGO === '1' ? '' : MONGODB_URL || container?.url || ''
const leftOut = 'The tests on MongoDB are left out'
if (WITHOUT_MONGO === '1') console.log(`${leftOut}, as WITHOUT_MONGO=1 asks for.`)
else if (url === '') console.log(`${leftOut}: start Docker, or set MONGODB_URL to a replica set, to run them.`)

const files = testFiles(args.filter(isTestFile))
const [parallel, alone] = [reportOf('tests'), reportOf('faults')]
const together = files.filter(file => !runsAlone(file))
const passed = [
  await runMocha(parallel, together, inParallel, url),
  await runMocha(alone, files.filter(runsAlone), [], url),
]
await container?.stop()

const tests = [parallel, alone]
  .filter(report => existsSync(report))
  .flatMap(report => (JSON.parse(readFileSync(report, 'utf8')) as Report).tests)
  .filter(({ state }) => state !== 'skipped')
const failed = tests.filter(({ state }) => state === 'failed').length
const countOf = (storage: string): number =>
  tests.filter(({ file }) => file !== undefined && isOf(storage)(file)).length
const lacksMongo = REQUIRE_MONGO === '1' && url === ''
console.log(`Tests by storage: ${storageNames.map(name => `${name} ${countOf(name)}`).join(', ')}`)
if (lacksMongo) console.log('REQUIRE_MONGO=1 requires tests on MongoDB.')
console.log(`${tests.length - failed} passed, ${failed} failed`)
const isWhole = tests.length > 0 && !lacksMongo && !interrupted.signal.aborted
process.exitCode = passed.every(Boolean) && isWhole ? 0 : 1

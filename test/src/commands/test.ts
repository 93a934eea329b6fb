import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inParallel, mochaCommand, mochaOptions } from './mocha-options.js'
import { type StartedMongo, startMongo } from './mongo-container.js'
import type { Report } from './reporter.js'

const { MONGODB_URL, REQUIRE_MONGO } = process.env
const here = fileURLToPath(new URL('..', import.meta.url))
const reports = join(here, '../../reports')
const [parallelReport, serialReport] = [join(reports, 'tests.json'), join(reports, 'faults.json')]
const needsMongo = (file: string): boolean => file.startsWith(join(here, 'mongo', sep))
/** They hold the service to its promise of 2.5 s, under load: nothing else may need the processor meanwhile. */
const runsAlone = (file: string): boolean => file.startsWith(join(here, 'mongo', 'faults', sep))

const say = (line: string): void => console.log(line)

const startContainer = async (): Promise<StartedMongo | undefined> => {
  try {
    return await startMongo()
  } catch (error) {
    say(`Cannot start MongoDB: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** Listed by source, since the output of a deleted test stays in dist. */
const testFiles = (): readonly string[] =>
  readdirSync(join(here, '../src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join(here, name.replace(/ts$/, 'js')))
    .sort()

const interrupted = new AbortController()

type Run = Readonly<{ files: readonly string[]; options: readonly string[]; report: string }>

/** Returns mocha's exit code. An interrupt stops mocha early. */
const runMocha = async ({ files, options, report }: Run, env: NodeJS.ProcessEnv): Promise<number> => {
  const reporter = ['--reporter', join(here, 'commands/reporter.js'), '--reporter-option', `output=${report}`]
  const mocha = [mochaCommand, ...mochaOptions, ...options, ...reporter, ...process.argv.slice(2), ...files]
  try {
    const [code] = await once(
      spawn(process.execPath, ['--enable-source-maps', ...mocha], {
        stdio: 'inherit',
        env,
        signal: interrupted.signal,
      }),
      'exit',
    )
    return code ?? 1
  } catch {
    return 1
  }
}

/** Prints what ran. Returns whether all that had to run did. */
const summarise = (files: readonly string[]): boolean => {
  const missing = files.filter(file => !existsSync(file))
  if (missing.length > 0) say('The tests ended early, without a report.')
  const tests = files
    .filter(file => existsSync(file))
    .flatMap(file => (JSON.parse(readFileSync(file, 'utf8')) as Report).tests)
  const ran = tests.filter(({ state }) => state !== 'skipped')
  const failed = ran.filter(({ state }) => state === 'failed').length
  const onMongo = ran.filter(({ file }) => file !== undefined && needsMongo(file)).length
  const lacksMongo = REQUIRE_MONGO === '1' && onMongo === 0
  say(`${onMongo} tests ran on MongoDB${lacksMongo ? ', but REQUIRE_MONGO=1 requires some' : ''}.`)
  if (ran.length === 0) say('No test ran.')
  say(`${ran.length - failed} passed, ${failed} failed`)
  return missing.length === 0 && ran.length > 0 && !lacksMongo
}

for (const report of [parallelReport, serialReport]) rmSync(report, { force: true })
// an interrupt ends mocha, and then the container is stopped as usual
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())
const container = MONGODB_URL ? undefined : await startContainer()
const url = MONGODB_URL || container?.url
if (url === undefined) say('Skipping the MongoDB tests. Start Docker or set MONGODB_URL to run them.')
const files = testFiles().filter(file => url !== undefined || !needsMongo(file))
const runs: readonly Run[] = [
  {
    files: files.filter(file => !runsAlone(file)),
    options: inParallel,
    report: parallelReport,
  },
  { files: files.filter(runsAlone), options: [], report: serialReport },
].filter(run => run.files.length > 0)
const env = { ...process.env, ...(url !== undefined && { MONGODB_URL: url }) }
const codes: number[] = []
for (const run of runs) if (!interrupted.signal.aborted) codes.push(await runMocha(run, env))
await container?.stop()
const isWhole = summarise(runs.map(({ report }) => report))
process.exitCode = codes.find(code => code !== 0) ?? (isWhole ? 0 : 1)

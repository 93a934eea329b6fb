import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mochaCommand, mochaOptions } from './mocha-options.js'
import { type StartedMongo, startMongo } from './mongo-container.js'
import type { Report } from './reporter.js'

const { MONGODB_URL, REQUIRE_MONGO } = process.env
const here = fileURLToPath(new URL('..', import.meta.url))
const reportFile = join(here, '../../reports/tests.json')
const needsMongo = (file: string): boolean => file.startsWith(join(here, 'mongo', sep))

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

/** Returns mocha's exit code. An interrupt stops mocha early. */
const runMocha = async (files: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const reporter = ['--reporter', join(here, 'commands/reporter.js'), '--reporter-option', `output=${reportFile}`]
  const args = ['--enable-source-maps', mochaCommand, ...mochaOptions, ...reporter, ...process.argv.slice(2), ...files]
  try {
    const [code] = await once(
      spawn(process.execPath, args, { stdio: 'inherit', env, signal: interrupted.signal }),
      'exit',
    )
    return code ?? 1
  } catch {
    return 1
  }
}

/** Prints what ran. Returns mocha's exit code, or 1 when something that had to run did not. */
const summarise = (mochaCode: number): number => {
  if (!existsSync(reportFile)) {
    say('The tests ended early, without a report.')
    return 1
  }
  const { tests }: Report = JSON.parse(readFileSync(reportFile, 'utf8'))
  const ran = tests.filter(({ state }) => state !== 'skipped')
  const failed = ran.filter(({ state }) => state === 'failed').length
  const onMongo = ran.filter(({ file }) => file !== undefined && needsMongo(file)).length
  const lacksMongo = REQUIRE_MONGO === '1' && onMongo === 0
  say(`${onMongo} tests ran on MongoDB${lacksMongo ? ', but REQUIRE_MONGO=1 requires some' : ''}.`)
  if (ran.length === 0) say('No test ran.')
  say(`${ran.length - failed} passed, ${failed} failed`)
  return ran.length === 0 || lacksMongo ? 1 : mochaCode
}

rmSync(reportFile, { force: true })
// an interrupt ends mocha, and then the container is stopped as usual
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())
const container = MONGODB_URL ? undefined : await startContainer()
const url = MONGODB_URL || container?.url
if (url === undefined) say('Skipping the MongoDB tests. Start Docker or set MONGODB_URL to run them.')
const files = testFiles().filter(file => url !== undefined || !needsMongo(file))
const code = await runMocha(files, { ...process.env, ...(url !== undefined && { MONGODB_URL: url }) })
await container?.stop()
process.exitCode = summarise(code)

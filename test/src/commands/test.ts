import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type StartedMongo, startMongo } from '../support/mongo/database.js'
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
    say(`MongoDB cannot be started: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** Named by their sources, because a test that was deleted can still be there compiled. */
const testFiles = (): readonly string[] =>
  readdirSync(join(here, '../src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join(here, name.replace(/ts$/, 'js')))
    .sort()

const interrupted = new AbortController()

/** The exit code of mocha, which ends early where someone stops the tests. */
const runMocha = async (files: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const command = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const options = ['--parallel', '--jobs', '2', '--timeout', '20000', '--slow', '2000', '--forbid-only']
  const reporter = ['--reporter', join(here, 'commands/reporter.js'), '--reporter-option', `output=${reportFile}`]
  const args = ['--enable-source-maps', command, ...options, ...reporter, ...process.argv.slice(2), ...files]
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

/** The sum of what ran. The exit code is that of the tests, or 1 where something that had to run did not. */
const sumUp = (mochaCode: number): number => {
  if (!existsSync(reportFile)) {
    say('The tests did not come to their end.')
    return 1
  }
  const { tests }: Report = JSON.parse(readFileSync(reportFile, 'utf8'))
  const ran = tests.filter(({ state }) => state !== 'skipped')
  const failed = ran.filter(({ state }) => state === 'failed').length
  const onMongo = ran.filter(({ file }) => file !== undefined && needsMongo(file)).length
  const lacksMongo = REQUIRE_MONGO === '1' && onMongo === 0
  say(`${onMongo} tests ran on MongoDB${lacksMongo ? ', but REQUIRE_MONGO=1 asks for some' : ''}.`)
  if (ran.length === 0) say('No test ran.')
  say(`${ran.length - failed} passed, ${failed} failed`)
  return ran.length === 0 || lacksMongo ? 1 : mochaCode
}

rmSync(reportFile, { force: true })
// from here on the container is stopped, whatever happens
process.on('SIGINT', () => interrupted.abort())
process.on('SIGTERM', () => interrupted.abort())
const container = MONGODB_URL ? undefined : await startContainer()
const url = MONGODB_URL || container?.url
if (url === undefined) say('The tests on MongoDB are left out: start Docker, or set MONGODB_URL, to run them.')
const files = testFiles().filter(file => url !== undefined || !needsMongo(file))
const code = await runMocha(files, { ...process.env, ...(url !== undefined && { MONGODB_URL: url }) })
await container?.stop()
process.exitCode = sumUp(code)

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { settingsTable } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import type { Report } from '../commands/reporter.js'
import { runInShell, type ShellCommand } from '../support/commands/shell-command.js'
import { copyWorkspace, type WorkspaceCopy } from '../support/commands/workspace-copy.js'
import { type ServiceProcess, startProcess } from '../support/service/child-process.js'
import { silentLog } from '../support/silent-log.js'
import { root } from '../support/workspace-root.js'
import { commandsIn, documents } from './documents.js'

const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8')

/** Nothing listens there: the tests on MongoDB are defined but not run, and no container is started. */
const noDatabase = 'mongodb://127.0.0.1:1/'

const commands = [...new Set(documents.flatMap(({ text }) => commandsIn(text)))]

const suite = 'The documented commands'

type Check = (command: string) => Promise<unknown>

describe(suite, function () {
  this.timeout(60_000)
  let copy: WorkspaceCopy
  let service: ServiceProcess
  let running: ShellCommand | undefined
  before(async () => {
    copy = await copyWorkspace()
    service = await startProcess({})
  })
  afterEach(async () => {
    running?.signal('SIGTERM')
    await running?.ended
    running = undefined
  })
  after(async () => {
    service.kill('SIGKILL')
    await copy.remove()
  })

  const run = (line: string, folder = '.'): ShellCommand => {
    running = runInShell(line, join(copy.folder, folder), { PORT: '0', MONGODB_URL: noDatabase })
    return running
  }

  const passes = async (line: string, folder?: string): Promise<string> => {
    const { code, output } = await run(line, folder).ended
    expect(code, output).to.equal(0)
    return output
  }

  const greets: Check = async command => {
    const url = await run(command).printed(/Snippets is listening on (\S+)/)
    expect((await fetch(`${url}/api/snippets/config/`)).status).to.equal(200)
  }

  /** The titles of the tests that a dry run selects, without those of this file, which repeat the pattern. */
  const selectedBy = async (command: string): Promise<readonly string[]> => {
    await passes(`${command} --dry-run`)
    const names = (await readdir(join(copy.folder, 'reports'))).filter(name => name.endsWith('.json'))
    const reports = await Promise.all(names.map(name => readFile(join(copy.folder, 'reports', name), 'utf8')))
    const tests = reports.flatMap(report => (JSON.parse(report) as Report).tests)
    return tests.map(({ title }) => title).filter(title => !title.startsWith(suite))
  }

  let all: Promise<readonly string[]> | undefined
  const allTitles = (): Promise<readonly string[]> => {
    all ??= selectedBy('npm test --')
    return all
  }

  const listsTests: Check = async () => expect(await allTitles()).to.not.deep.equal([])

  const selectsTests: Check = async command => expect(await selectedBy(command)).to.not.deep.equal([])

  const matchesTitles: Check = async command => {
    const pattern = new RegExp(/'(.+)'$/.exec(command)?.[1] ?? '')
    expect((await allTitles()).filter(title => pattern.test(title))).to.not.deep.equal([])
  }

  const showsUsage: Check = async command => {
    const { code, output } = await run(command).ended
    expect(code).to.equal(64)
    expect(output).to.contain(`Usage: ${command} -- `)
  }

  /** A short run. Whether it meets its goals depends on the machine. */
  const printsGoals: Check = async () => {
    const { code, output } = await run('npm run soak -- --only raw-bytes --cases 200 --minutes 0.05').ended
    expect(output).to.match(/^\| raw-bytes \| .+ \| .+ \| (pass|fail) \|$/m)
    expect(code, output).to.equal(output.includes('| fail |') ? 1 : 0)
  }

  /** Without the other frameworks, which would have to be installed. */
  const printsRatios: Check = async () => {
    const options = '--only node,snippets --rows detail --requests 70 --rounds 1 --snippets 100'
    expect(await passes(`npm run bench -- ${options}`)).to.match(/^\| detail \| 1\.00 .+ \| \d+\.\d\d .+ \|$/m)
  }

  const onThisService = (command: string): string => command.replace(/http:\/\/[^/\s]+/, service.url)

  const generatesTypes: Check = async command => {
    await passes(onThisService(command), 'test')
    expect(await readFile(join(copy.folder, 'test/schema.ts'), 'utf8')).to.contain('export interface paths')
  }

  /** Without Docker: what the container is told are settings that exist. */
  const namesSettings: Check = async () => {
    const known = ['NODE_ENV', ...settingsTable.map(({ name }) => name)]
    const compose = [...(await read('compose.yaml')).matchAll(/^ {6}([A-Z_]+):/gm)]
    const image = [...(/^ENV (.*)/m.exec(await read('Dockerfile'))?.[1] ?? '').matchAll(/([A-Z_]+)=/g)]
    expect(compose).to.not.deep.equal([])
    expect(known).to.include.members([...compose, ...image].map(([, name]) => name))
  }

  /** In the copy it would change the libraries of the original. */
  const isPinned: Check = async () => {
    const { engines, scripts } = JSON.parse(await read('package.json'))
    expect(engines.pnpm).to.match(/^\d+\.\d+\.\d+$/)
    expect(scripts.lock).to.equal('node apps/preflight.cjs --update-lockfile')
    for (const file of ['apps/preflight.cjs', 'Dockerfile', 'package.json', 'CONTRIBUTING.md'])
      expect(await read(file), file).to.not.match(/pnpm@\d/)
  }

  /** Without a cluster: the script names the collection that the service uses by default, and a key that MongoDB takes. */
  const shardsById: Check = async command => {
    const calls: unknown[][] = []
    const sh = { shardCollection: (...call: unknown[]) => calls.push(call) }
    runInNewContext(/'(.+)'$/.exec(command)?.[1] ?? '', { sh })
    expect(JSON.stringify(calls)).to.equal('[["snippets.snippets",{"_id":"hashed"}]]')
    expect(connectionTo('mongodb://127.0.0.1:1', silentLog).db.databaseName).to.equal('snippets')
  }

  const checks: readonly (readonly [RegExp, Check])[] = [
    [/^npm (?:start|run demo|run dev)$/, greets],
    [/^STORAGE=mongo MONGODB_URL=\S+ npm start$/, command => greets(command.replace(/mongodb:\S+/, noDatabase))],
    [/^npm test$/, listsTests],
    [/^npm test -- --grep \w+$/, selectsTests],
    [/^(?:KILLS=\d+ )?npm test -- --grep '.+'$/, matchesTitles],
    [/^npm run (?:lint|typecheck|build|format)$/, passes],
    [/^npm run coverage$/, async command => expect(await passes(`${command} -- --dry-run`)).to.match(/^Lines +: \d/m)],
    [/^npm run (?:contract|token)$/, showsUsage],
    [/^npm run contract -- http:\S+$/, command => passes(onThisService(command))],
    [/^npm run scale(?: -- \d+)?$/, command => passes(`${command.replace(/ -- .*/, '')} -- 1000`)],
    [/^API_TOKENS_FILE=\S+ npm run token -- --name \w+ --scope \w+$/, passes],
    [/^npm run soak(?: -- [\w\s-]+)?$/, printsGoals],
    [/^npm run bench(?: -- [\w\s,-]+)?$/, printsRatios],
    [/^npx openapi-typescript http:\S+ --output schema\.ts$/, generatesTypes],
    [/^npm run transfer(?: -- --from SOURCE --to TARGET)?$/, () => showsUsage('npm run transfer')],
    [/^npm run lock$/, isPinned],
    [/^docker compose up$/, namesSettings],
    [/^mongosh "\$MONGODB_URL" --eval '.+'$/, shardsById],
    // drift.test.ts compares the answers
    [/^curl /, async command => expect(command).to.contain('http://127.0.0.1:8000/api/')],
  ]

  for (const command of commands)
    it(`run as written: ${command}`, async () => {
      const known = checks.find(([pattern]) => pattern.test(command))
      if (known === undefined) throw new Error('No check knows this command: add one.')
      await known[1](command)
    })

  it('include every npm script', async () => {
    const { scripts } = JSON.parse(await read('package.json'))
    const called = commands.flatMap(command => /\bnpm (?:run )?(\w+)/.exec(command)?.[1] ?? [])
    const names = Object.keys(scripts).filter(name => !name.startsWith('pre'))
    expect(called).to.include.members(names)
  })
})

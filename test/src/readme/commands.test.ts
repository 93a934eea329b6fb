import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { settingsTable } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { silentLog } from '../support/service/logs.js'
import { root } from '../support/workspace-root.js'
import { commandsIn, documents } from './documents.js'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
const settings = settingsTable.map(({ name }): string => name)
const commands = [...new Set(documents.flatMap(({ text }) => commandsIn(text)))]

describe('The documented commands', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  after(() => rmSync(folder, { recursive: true }))

  /** Runs the npm script of a command in another folder, without its pre-script. */
  const run = (line: string) => {
    const [, variables = '', name = '', args = ''] = /^((?:\w+=\S+ )*)npm run (\w+)(?: --)?(.*)$/.exec(line) ?? []
    const script = (scripts[name] ?? '').replace(/\b(test|apps)\/dist\//g, `${root}$&`)
    const env = { PATH: process.env.PATH }
    return spawnSync(`${variables}${script}${args}`, { cwd: folder, env, shell: true, encoding: 'utf8' })
  }

  type Check = (command: string) => unknown

  /** Checks only that the files, tests and settings exist. Other tests run the script. */
  const exists: Check = command => {
    const [, name = ''] = /npm (?:run )?(\w+)/.exec(command) ?? []
    const files = scripts[name]?.match(/[\w.@/-]+\/[\w.-]+/g) ?? []
    expect(files).to.not.deep.equal([])
    const [, selected = files[0] ?? ''] = /-- (\S+\.ts)$/.exec(command) ?? []
    for (const file of [...files, selected]) expect(existsSync(join(root, file)), file).to.equal(true)
    for (const [, variable] of command.matchAll(/([A-Z_]+)=/g)) expect(settings).to.include(variable)
  }

  const selectsTests: Check = command => {
    const [, title = ''] = /--grep (\w+)$/.exec(command) ?? []
    const sources = readdirSync(join(root, 'test/src'), { recursive: true, encoding: 'utf8' })
    const tests = sources.filter(name => name.endsWith('.ts')).map(name => read(join('test/src', name)))
    expect(tests.filter(test => new RegExp(`\\b(?:it|describe)\\(['\`].*${title}`).test(test))).to.not.deep.equal([])
  }

  /** Checks, without Docker, that the variables of the container are settings. */
  const namesSettings: Check = command => {
    const given = [...command.matchAll(/-e ([A-Z_]+)=/g)]
    const compose = [...read('compose.yaml').matchAll(/^ {2,6}([A-Z_]+):/gm)]
    const image = [...(/^ENV (.*)/m.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/([A-Z_]+)=/g)]
    expect(compose).to.not.deep.equal([])
    expect(['NODE_ENV', 'NODE_OPTIONS', ...settings]).to.include.members(
      [...given, ...compose, ...image].map(([, name]) => name),
    )
  }

  /** Checks, without a database, that the script shards the default collection by a valid key, or raises the counter. */
  const changesDatabase: Check = command => {
    const calls: unknown[][] = []
    const record = (...call: unknown[]) => calls.push(call)
    const database = { sh: { shardCollection: record }, db: { counters: { updateOne: record } }, Long: BigInt }
    runInNewContext(/'(.+)'$/.exec(command)?.[1] ?? '', database)
    const expected = /counters/.test(command)
      ? // a test of the counter checks its name
        [{ _id: 'snippets' }, { $max: { last: 1000000n } }]
      : ['snippets.snippets', { _id: 'hashed' }]
    expect(calls).to.deep.equal([expected])
    expect(connectionTo('mongodb://127.0.0.1:1', silentLog).db.databaseName).to.equal('snippets')
  }

  /** Checks, without root, that the files are in the repository or in the bundle. */
  const namesFiles: Check = command => {
    const files = [...command.matchAll(/docs\/\S+|\b(?:test\/)?dist\/\S+/g)].map(([file]) =>
      file.replace(/^dist/, 'apps/dist'),
    )
    for (const file of files) expect(existsSync(join(root, file)), file).to.equal(true)
  }

  /** Runs the command on a storage that fails. Other tests run the contract on storages that work. */
  const testsAStorage: Check = command => {
    const module = join(folder, 'harness.mjs')
    writeFileSync(module, `export const storage = { open: async () => { throw new Error('planted') } }`)
    const { status, stdout } = run(command.replace('./harness.js', module))
    expect(stdout).to.match(/ [1-9]\d* failed, 0 skipped; it exports no outages and no kills and no rows\.\n$/)
    expect(status).to.equal(1)
  }

  const checks: readonly (readonly [RegExp, Check])[] = [
    [
      /^(?:\w+=\S+ )*npm (?:start|test(?: -- \S+\.ts)?|run (?:demo|dev|lint|format|build|typecheck|coverage|lock|token|bundle -- \S+|mutate -- \S+|transfer(?: -- --from \S+ --to(?: \S+)?)?|scale|bench|soak(?: -- [\w -]+)?|contract -- http:\S+))$/,
      exists,
    ],
    [/^npm test -- --grep \w+$/, selectsTests],
    [/^npm run contract -- --storage \.\/harness\.js$/, testsAStorage],
    [
      /^API_TOKENS_FILE=\S+ npm run token -- --name \w+ --scope \w+$/,
      command => expect(run(command).status).to.equal(0),
    ],
    [/^git config core\.hooksPath \.githooks$/, () => expect(existsSync(join(root, '.githooks'))).to.equal(true)],
    [/^docker (?:build|compose (?:--profile \S+ )?(?:up|down|run)|run|volume create)\b/, namesSettings],
    [/^(?:API_TOKENS_FILE=\S+ |sudo )?(?:chmod|cp|docker kill|install|ln|node|systemctl|umask) /, namesFiles],
    [/^mongosh "\$MONGODB_URL" --eval '.+'$/, changesDatabase],
    // readme.test.ts compares the responses
    [
      /^(?:curl|npx openapi-typescript) /,
      command => expect(command).to.match(/http:\/\/127\.0\.0\.1:(?:8000\/api\/|8001\/backup\b)/),
    ],
    // programs of a database
    [/^(?!.*\b(?:npm|npx|node|docker|curl|mongosh)\b)/, namesFiles],
  ]

  for (const command of commands)
    it(`pass their checks: ${command}`, async () => {
      const known = checks.find(([pattern]) => pattern.test(command))
      if (known === undefined) throw new Error('No check knows this command: add one.')
      await known[1](command)
    })

  it('include every npm script', () => {
    const called = commands.flatMap(command => /\bnpm (?:run )?(\w+)/.exec(command)?.[1] ?? [])
    expect(called).to.include.members(Object.keys(scripts).filter(name => !name.startsWith('pre')))
  })
})

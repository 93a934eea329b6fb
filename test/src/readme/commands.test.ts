import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { settingsTable } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { testFiles } from '../commands/test-files.js'
import { silentLog } from '../support/service/logs.js'
import { root } from '../support/workspace-root.js'
import { commandsIn, documents } from './documents.js'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { engines, scripts }: { engines: Record<string, string>; scripts: Record<string, string> } = JSON.parse(
  read('package.json'),
)
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
    const { PATH } = process.env
    const { status, stdout, stderr } = spawnSync(`${variables}${script}${args}`, {
      cwd: folder,
      env: { PATH },
      shell: true,
      encoding: 'utf8',
    })
    return { code: status, output: stdout + stderr }
  }

  /** Expects the complaint, the usage and exit code 64. */
  const failsAt = (line: string, complaint: string): void => {
    const { code, output } = run(line)
    expect(output)
      .to.contain(complaint)
      .and.to.contain(`Usage: ${/npm run \w+/.exec(line)?.[0]} -- `)
    expect(code).to.equal(64)
  }

  const succeeds = (line: string): string => {
    const { code, output } = run(line)
    expect(code, output).to.equal(0)
    return output
  }

  type Check = (command: string) => unknown

  /** Checks only that the files and settings exist. Other tests run the script. */
  const exists: Check = command => {
    const [, name = ''] = /npm (?:run )?(\w+)/.exec(command) ?? []
    const files = scripts[name]?.match(/[\w.@/-]+\/[\w.-]+/g) ?? []
    expect(files).to.not.deep.equal([])
    for (const file of files) expect(existsSync(join(root, file)), file).to.equal(true)
    for (const [, variable] of command.matchAll(/([A-Z_]+)=/g)) expect(settings).to.include(variable)
  }

  const selectsTests: Check = command => {
    const [, title = ''] = /--grep (\w+)$/.exec(command) ?? []
    const sources = readdirSync(join(root, 'test/src'), { recursive: true, encoding: 'utf8' })
    const tests = sources.filter(name => name.endsWith('.ts')).map(name => read(join('test/src', name)))
    expect(tests.filter(test => new RegExp(`\\b(?:it|describe)\\(['\`].*${title}`).test(test))).to.not.deep.equal([])
  }

  const selectsOneFile: Check = command => {
    const [, name = ''] = /test\/src\/(\S+)\.ts$/.exec(command) ?? []
    expect(testFiles([`test/src/${name}.ts`])).to.deep.equal([join(root, `test/dist/${name}.js`)])
    expect(testFiles(['test/src/nothing.test.ts'])).to.deep.equal([])
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

  const locksWithOnePnpm = (): void => {
    expect(engines.pnpm).to.match(/^\d+\.\d+\.\d+$/)
    expect(scripts.lock).to.equal('node apps/preflight.cjs --update-lockfile')
    for (const file of ['apps/preflight.cjs', 'Dockerfile', 'package.json', 'CONTRIBUTING.md'])
      expect(read(file), file).to.not.match(/pnpm@\d/)
  }

  /** Checks, without a cluster, that the script shards the default collection by a valid key. */
  const shardsById: Check = command => {
    const calls: unknown[][] = []
    const sh = { shardCollection: (...call: unknown[]) => calls.push(call) }
    runInNewContext(/'(.+)'$/.exec(command)?.[1] ?? '', { sh })
    expect(JSON.stringify(calls)).to.equal('[["snippets.snippets",{"_id":"hashed"}]]')
    expect(connectionTo('mongodb://127.0.0.1:1', silentLog).db.databaseName).to.equal('snippets')
  }

  /** Checks, without a database, that the script raises the id counter. A test of the counter checks its name. */
  const raisesCounter: Check = command => {
    const updates: unknown[][] = []
    const db = { counters: { updateOne: (...update: unknown[]) => updates.push(update) } }
    runInNewContext(/'(.+)'$/.exec(command)?.[1] ?? '', { db, Long: BigInt })
    expect(updates).to.deep.equal([[{ _id: 'snippets' }, { $max: { last: 1000000n } }]])
  }

  /** Checks, without root, that the files are in the repository or in the bundle. */
  const namesFiles: Check = command => {
    const files = [...command.matchAll(/docs\/\S+|\b(?:test\/)?dist\/\S+/g)].map(([file]) =>
      file.replace(/^dist/, 'apps/dist'),
    )
    for (const file of files) expect(existsSync(join(root, file)), file).to.equal(true)
  }

  /** Runs the command on a module that can import the packages of this workspace. */
  const testsAStorage: Check = command => {
    const modules = mkdtempSync(join(root, 'test/dist/harness-'))
    writeFileSync(
      join(modules, 'harness.js'),
      `import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
      const open = async ({ users = [], ...options }) => memoryStorage({ users, ...options })
      export const storage = { open }`,
    )
    const output = succeeds(command.replace('./harness.js', join(modules, 'harness.js')))
    rmSync(modules, { recursive: true })
    expect(output).to.match(/[1-9]\d+ passed, 0 failed, 0 skipped; it exports no outages and no kills and no rows\.\n$/)
    failsAt('npm run contract -- --storage', 'Name one module.')
  }

  const checks: readonly (readonly [RegExp, Check])[] = [
    [
      /^(?:\w+=\S+ )*npm (?:start|test|run (?:demo|dev|lint|format|build|typecheck|coverage|bundle -- \S+|scale|bench|soak(?: -- [\w -]+)?|contract -- http:\S+))$/,
      exists,
    ],
    [/^npm test -- --grep \w+$/, selectsTests],
    [/^npm test -- \S+\.test\.ts$/, selectsOneFile],
    [/^npm run lock$/, locksWithOnePnpm],
    [
      /^npm run mutate -- \S+$/,
      command => expect(existsSync(join(root, /\S+$/.exec(command)?.[0] ?? ''))).to.equal(true),
    ],
    [/^npm run contract -- --storage \.\/harness\.js$/, testsAStorage],
    [/^npm run token$/, command => failsAt(command, '--name')],
    [/^API_TOKENS_FILE=\S+ npm run token -- --name \w+ --scope \w+$/, succeeds],
    [
      /^npm run transfer(?: -- --from \S+ --to(?: \S+)?)?$/,
      () => failsAt('npm run transfer', 'Usage: npm run transfer -- --from'),
    ],
    [/^git config core\.hooksPath \.githooks$/, () => expect(existsSync(join(root, '.githooks'))).to.equal(true)],
    [/^docker (?:build|compose (?:--profile \S+ )?(?:up|down|run)|run|volume create)\b/, namesSettings],
    [/^(?:API_TOKENS_FILE=\S+ |sudo )?(?:chmod|cp|docker kill|install|ln|node|systemctl|umask) /, namesFiles],
    [/^mongosh .*counters/, raisesCounter],
    [/^mongosh "\$MONGODB_URL" --eval '.+'$/, shardsById],
    // readme.test.ts compares the responses
    [
      /^(?:curl|npx openapi-typescript) /,
      command => expect(command).to.match(/http:\/\/127\.0\.0\.1:(?:8000\/api\/|8001\/backup$)/),
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

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { settingNames } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { silentLog } from '../support/service/logs.js'
import { root } from '../support/workspace-root.js'
import { commandsIn, documents } from './documents.js'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
const commands = documents.flatMap(({ text }) => commandsIn(text))

describe('The documented commands', function () {
  this.timeout(60_000)

  it('run the scripts of package.json, and no script is undocumented', () => {
    const called = commands.flatMap(command => /\bnpm (?:run )?(\w+)/.exec(command)?.[1] ?? [])
    const callable = Object.keys(scripts).filter(name => !name.startsWith('pre'))
    expect([...new Set(called)]).to.have.members(callable)
  })

  it('name files of the repository or of the bundle', () => {
    const named = [...commands, ...Object.values(scripts)].flatMap(
      command => command.match(/\b(?:apps|docs|domain|test|dist)\/[\w./-]+/g) ?? [],
    )
    const files = named.map(file => file.replace(/^dist/, 'apps/dist'))
    expect(files).to.include('docs/deploy/snippets.service')
    expect(files.filter(file => !existsSync(join(root, file)))).to.deep.equal([])
  })

  it('set only existing settings, as do the files of deployments', () => {
    const files = ['compose.yaml', 'docs/deploy/kubernetes.yaml', 'docs/deploy/snippets.service']
    const [image = ''] = /^ENV .*/m.exec(read('Dockerfile')) ?? []
    const texts = [...commands, image, ...files.map(read)]
    const names = texts.flatMap(text => text.match(/\b[A-Z]+(?:_[A-Z]+)*(?==|: )|(?<=name: )[A-Z_]{4,}/g) ?? [])
    expect(names).to.include.members(['PUBLIC_URL', 'DATA_DIR', 'API_TOKENS_FILE', 'ADMIN_HOST'])
    expect(['NODE_ENV', 'NODE_OPTIONS', ...settingNames]).to.include.members([...new Set(names)])
  })

  it('shard the collection of snippets by a valid key, and raise the counter of ids', () => {
    const calls: unknown[][] = []
    const record = (...call: unknown[]) => calls.push(call)
    const database = { sh: { shardCollection: record }, db: { counters: { updateOne: record } }, Long: BigInt }
    for (const command of commands)
      runInNewContext(/^mongosh "\$MONGODB_URL" --eval '(.+)'$/.exec(command)?.[1] ?? '', database)
    expect(calls).to.have.deep.members([
      [`${connectionTo('mongodb://127.0.0.1:1', silentLog).db.databaseName}.snippets`, { _id: 'hashed' }],
      // a test of the counter checks its name
      [{ _id: 'snippets' }, { $max: { last: 1000000n } }],
    ])
  })

  it('test a storage: npm run contract reports one that fails', () => {
    const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
    const harness = join(folder, 'harness.mjs')
    writeFileSync(harness, `export const storage = { open: async () => { throw new Error('planted') } }`)
    const program = join(root, 'test/dist/commands/contract.js')
    const { status, stdout } = spawnSync(process.execPath, [program, '--storage', harness], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect(stdout).to.match(/ [1-9]\d* failed, 0 skipped; it exports no outages and no kills and no rows\.\n$/)
    expect(status).to.equal(1)
  })
})

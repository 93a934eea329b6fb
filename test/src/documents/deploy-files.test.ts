import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { problemNames, problemType } from '@snippets/adapters-http/formats/problems.js'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { type StorageName, storageNames } from '@snippets/apps/settings/storage-settings.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { closedPort } from '../support/free-port.js'
import { composedServices } from '../support/service/composed-service.js'
import { directories } from '../support/storage/data-directory.js'
import { readFromRoot as read, root } from '../support/workspace-root.js'

const codeSpans = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].flatMap(([, span]) => span ?? [])

/** The compiler names an error that is missing. */
const resultOf: Readonly<Record<StorageError['_tag'], string>> = {
  ...{ NotFound: 'not-found', Stale: 'stale', StorageFull: 'storage-full', IdsExhausted: 'ids-exhausted' },
  ...{ KeyReused: 'key-reused', KeyInUse: 'key-in-use', SearchTooBroad: 'search-too-broad' },
  ...{ Overloaded: 'overloaded', Unavailable: 'unavailable', Rejected: 'rejected', Corrupt: 'corrupt' },
}

/** Two empty blocks end an archive. */
const emptyArchive = Buffer.alloc(1024)

const hasRemoteDocker = /^(?!unix:)./.test(process.env.DOCKER_HOST ?? '')

/** Returns the names of the system calls in a set of systemd. A set may contain other sets. */
const systemCallsIn = (set: string): readonly string[] =>
  spawnSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' })
    .stdout.split('\n')
    .slice(1)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .flatMap(name => (name.startsWith('@') ? systemCallsIn(name) : [name]))

describe('In docs/deploy,', () => {
  const start = composedServices()
  const newDirectory = directories()

  /** Returns the names of all metrics on each storage, without the default metrics of Node.js. */
  const metricNames = async (): Promise<readonly string[]> => {
    // a service starts while its database is down
    const settings: Readonly<Record<StorageName, Environment>> = {
      memory: { DATA_DIR: await newDirectory() },
      mongo: { MONGODB_URL: `mongodb://127.0.0.1:${await closedPort()}/` },
    }
    const names = new Set<string>()
    for (const STORAGE of storageNames) {
      const { adminUrl } = await start({ ADMIN_PORT: '0', STORAGE, ...settings[STORAGE] })
      const page = await (await fetch(`${adminUrl}/metrics`)).text()
      const shown = [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
      const ofDatabases = ['storage_queued_operations', 'storage_malformed_rows_total']
      if (STORAGE !== 'memory')
        expect(shown, `add the metrics of databases for ${STORAGE}`).to.include.members(ofDatabases)
      for (const name of shown) names.add(name)
    }
    return [...names].filter(name => !/^(?:process|nodejs)_/.test(name))
  }

  it('alerts.yaml names only metrics of the service; dashboard.json and docs/operating.md name all', async () => {
    const shown = await metricNames()
    for (const file of ['alerts.yaml', 'dashboard.json']) {
      const named =
        read(`docs/deploy/${file}`).match(
          /\b(?:http|log|memory|data|service|storage|snippets|backup)(?:_[a-z]+)+\b.{9}/g,
        ) ?? []
      expect(named, file).to.not.deep.equal([])
      for (const [name = '', rest = ''] of named.map(text => text.split('{'))) {
        expect(rest, `the selector of ${name}`).to.match(/^job=/)
        expect(shown).to.include(name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, ''))
      }
    }
    for (const name of [...shown, 'process_cpu_seconds_total'])
      expect(read('docs/deploy/dashboard.json')).to.match(new RegExp(`\\b${name}(?:_count|_bucket)?{`))
    const section = read('docs/operating.md').split('\n### Metrics\n')[1]?.split('\n## ')[0] ?? ''
    const named = [...section.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name)
    expect(named).to.have.members([...shown])
    const [, results = ''] = /`storage_operation_duration_seconds`.*`result`:(.*)/.exec(section) ?? []
    expect(codeSpans(results)).to.have.members(['ok', 'outcome-unknown', ...Object.values(resultOf)])
  })

  it('alerts.yaml gives every alert a severity and a summary, also if it is commented out', () => {
    const alerts = read('docs/deploy/alerts.yaml').split('- alert: ').slice(1)
    for (const alert of alerts)
      expect(alert)
        .to.match(/severity: \w+ }$/m)
        .and.match(/ summary: ".+\."$/m)
  })

  it('alerts.yaml names only existing problem types', () => {
    const types = [...read('docs/deploy/alerts.yaml').matchAll(/urn:snippets:\(?([a-z|-]+)/g)].flatMap(
      ([, names = '']) => names.split('|').map(name => `urn:snippets:${name}`),
    )
    expect(types).to.not.deep.equal([])
    expect(problemNames.map(problemType)).to.include.members([...new Set(types)])
  })

  it('snippets.service restarts the service after a reload has ended its start', () => {
    expect(read('docs/deploy/snippets.service')).to.match(/^RestartForceExitStatus=SIGHUP$/m)
  })

  it('snippets.service passes systemd-analyze verify', function () {
    const file = join(root, 'docs/deploy/snippets.service')
    const { error, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    if (error !== undefined) this.skip()
    // a machine may have its Node.js in another place
    expect(stderr.split('\n').filter(line => line !== '' && !line.includes('/usr/bin/node'))).to.deep.equal([])
  })

  it('snippets.service allows the system calls of a start on DATA_DIR', async function () {
    const image = `snippets-empty-${process.pid}`
    const input = emptyArchive
    const isMissing = hasRemoteDocker || spawnSync('systemd-analyze', ['--version']).error !== undefined
    // without systemd-analyze, or without Docker on this machine, the test is skipped
    if (isMissing || spawnSync('docker', ['import', '-', image], { input }).status !== 0) this.skip()
    const sets = [...read('docs/deploy/snippets.service').matchAll(/^SystemCallFilter=(\S+)$/gm)]
    const names = sets.flatMap(([, set = '']) => systemCallsIn(set))
    const profile = join(await newDirectory(), 'seccomp.json')
    const syscalls = [{ names, action: 'SCMP_ACT_ALLOW' }]
    await writeFile(profile, JSON.stringify({ defaultAction: 'SCMP_ACT_KILL_PROCESS', syscalls }))
    // the system and the service of this machine, read-only
    const folders = ['/usr', '/lib', '/lib64', dirname(process.execPath), root].filter(folder => existsSync(folder))
    const container = spawn('docker', [
      ...['run', '--rm', '--network', 'none', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--security-opt', `seccomp=${profile}`, '--user', `${process.getuid?.()}:${process.getgid?.()}`],
      ...[...new Set(folders)].flatMap(folder => ['--volume', `${folder}:${folder}:ro`]),
      ...['--tmpfs', '/data', '--workdir', '/data', '--env', 'DATA_DIR=/data', '--env', 'ADMIN_PORT=0'],
      ...[image, process.execPath, join(root, 'apps/dist/commands/main.js')],
    ])
    let log = ''
    container.stderr.on('data', chunk => {
      log += chunk
      if (!container.killed && log.includes('"msg":"listening"')) container.kill('SIGTERM')
    })
    const [code] = await once(container, 'close')
    spawnSync('docker', ['image', 'rm', image])
    // 159 means that the kernel killed it for a system call
    expect(code, log).to.equal(0)
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemNames, problemType } from '@snippets/adapters-http/response/problems.js'
import { settingsTable } from '@snippets/apps/settings/settings.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { closedPort } from '../support/free-port.js'
import { composedServices } from '../support/service/composed-service.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'
import { codeSpans } from './documents.js'

const pathOf = (file: string): string => join(root, 'docs/deploy', file)
const read = (file: string): string => readFileSync(pathOf(file), 'utf8')

const itWith = (program: string, argument: string) =>
  spawnSync(program, [argument]).error === undefined ? it : it.skip

const metric = /\b(?:up|(?:data|http|log|memory|nodejs|process|service|snippets|storage)(?:_[a-z0-9]+)+)\b/
const selectedMetric = new RegExp(`${metric.source}{job="snippets"[,}]`, 'g')

/** The compiler names an error that is missing. */
const resultOf: Readonly<Record<StorageError['_tag'], string>> = {
  ...{ NotFound: 'not-found', Stale: 'stale', StorageFull: 'storage-full', IdsExhausted: 'ids-exhausted' },
  ...{ KeyReused: 'key-reused', KeyInUse: 'key-in-use', SearchTooBroad: 'search-too-broad' },
  ...{ Overloaded: 'overloaded', Unavailable: 'unavailable', Rejected: 'rejected', Corrupt: 'corrupt' },
}

/** Returns the names of all metrics on each storage, without the default metrics of Node.js. */
const metricNames = async (
  start: ReturnType<typeof composedServices>,
  directory: string,
): Promise<readonly string[]> => {
  // a service starts while its database is down
  const mongo = { STORAGE: 'mongo', MONGODB_URL: `mongodb://127.0.0.1:${await closedPort()}/` }
  const names = new Set<string>()
  for (const storage of [{ DATA_DIR: directory }, mongo]) {
    const { adminUrl } = await start({ ADMIN_PORT: '0', ...storage })
    const page = await (await fetch(`${adminUrl}/metrics`)).text()
    for (const [, name = ''] of page.matchAll(/^# TYPE (\w+)/gm)) names.add(name)
  }
  return [...names].filter(name => !/^(?:process|nodejs)_/.test(name))
}

describe('In docs/deploy,', () => {
  const start = composedServices()
  const newDirectory = directories()

  it('alerts.yaml and dashboard.json name only metrics of the service, and docs/operating.md names all', async () => {
    const shown = await metricNames(start, await newDirectory())
    for (const file of ['alerts.yaml', 'dashboard.json']) {
      const named = read(file).match(/\b(?:http|log|memory|data|service|snippets|storage)(?:_[a-z]+)+\b/g) ?? []
      const metrics = named.map(name => name.replace(/(?<=_seconds|_size)_(?:bucket|count|sum)$/, ''))
      expect(metrics, file).to.not.deep.equal([])
      expect(shown).to.include.members([...new Set(metrics)])
    }
    const section = read('../operating.md').split('\n## Admin endpoints\n')[1]?.split('\n## ')[0] ?? ''
    const named = [...section.matchAll(/^\| (`\w+_[^|]+)\|/gm)].flatMap(([, cell = '']) => codeSpans(cell))
    expect(named).to.have.members([...shown])
    const [, results = ''] = /`storage_operation_duration_seconds`.*`result`:(.*)/.exec(section) ?? []
    expect(codeSpans(results)).to.have.members(['ok', 'outcome-unknown', ...Object.values(resultOf)])
  })

  for (const file of ['alerts.yaml', 'dashboard.json'])
    it(`every expression of ${file} selects the scrape job of the service`, () => {
      const expressions = read(file)
        .replaceAll('\\"', '"')
        .replace(/summary: .*/g, '')
      const others = expressions.replace(selectedMetric, '')
      expect(others).to.not.equal(expressions)
      expect(others).to.not.match(metric)
    })

  it('alerts.yaml names only existing problem types', () => {
    const types = [...read('alerts.yaml').matchAll(/urn:snippets:\(?([a-z|-]+)/g)].flatMap(([, names = '']) =>
      names.split('|').map(name => `urn:snippets:${name}`),
    )
    expect(types).to.not.deep.equal([])
    expect(problemNames.map(problemType)).to.include.members([...new Set(types)])
  })

  it('kubernetes.yaml sets only existing settings', () => {
    const names = [...read('kubernetes.yaml').matchAll(/name: ([A-Z_]+)\b/g)].map(([, name]) => name)
    expect(names).to.include('MONGODB_URL')
    expect(['NODE_OPTIONS', ...settingsTable.map(({ name }) => name)]).to.include.members(names)
  })

  itWith('promtool', '--version')('alerts.yaml passes promtool', () => {
    execFileSync('promtool', ['check', 'rules', pathOf('alerts.yaml')])
  })

  itWith('promtool', '--version')('prometheus.yaml passes promtool', () => {
    execFileSync('promtool', ['check', 'config', pathOf('prometheus.yaml')])
  })

  itWith('systemd-analyze', '--version')('snippets.service passes systemd-analyze verify', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', pathOf('snippets.service')], {
      encoding: 'utf8',
    })
    // a machine may have its Node.js in another place
    const complaints = stderr.split('\n').filter(line => line !== '' && !line.includes('/usr/bin/node'))
    expect(complaints).to.deep.equal([])
    expect(status === 0 || stderr.includes('/usr/bin/node')).to.equal(true)
  })
})

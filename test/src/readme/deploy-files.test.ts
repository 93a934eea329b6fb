import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemNames, problemType } from '@snippets/adapters-http/response/problems.js'
import { settingsTable } from '@snippets/apps/settings/settings.js'
import { expect } from 'chai'
import { composedServices } from '../support/service/composed-service.js'
import { metricNames } from '../support/service/metric-names.js'
import { directories } from '../support/storage/data-directory.js'
import { root } from '../support/workspace-root.js'

const pathOf = (file: string): string => join(root, 'docs/deploy', file)
const read = (file: string): string => readFileSync(pathOf(file), 'utf8')

const itWith = (program: string, argument: string) =>
  spawnSync(program, [argument]).error === undefined ? it : it.skip

const metric = /\b(?:up|(?:data|http|log|memory|nodejs|process|service|snippets|storage)(?:_[a-z0-9]+)+)\b/
const selectedMetric = new RegExp(`${metric.source}{job="snippets"[,}]`, 'g')

describe('In docs/deploy,', () => {
  const start = composedServices()
  const newDirectory = directories()

  it('alerts.yaml and dashboard.json name only metrics of the service', async () => {
    const shown = await metricNames(start, await newDirectory())
    for (const file of ['alerts.yaml', 'dashboard.json']) {
      const named = read(file).match(/\b(?:http|log|memory|data|service|snippets|storage)(?:_[a-z]+)+\b/g) ?? []
      const metrics = named.map(name => name.replace(/(?<=_seconds|_size)_(?:bucket|count|sum)$/, ''))
      expect(metrics, file).to.not.deep.equal([])
      expect(shown).to.include.members([...new Set(metrics)])
    }
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

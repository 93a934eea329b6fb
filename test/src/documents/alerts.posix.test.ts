import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directories } from '../support/storage/data-directory.js'
import { readFromRoot } from '../support/workspace-root.js'

type Labels = Readonly<Record<string, string>>

/** All rules, including the disabled ones. */
const rules = readFromRoot('docs/deploy/alerts.yaml').replace(/^( +)# (?=(?:- alert| {2}[a-z]+:| {4}[a-z]))/gm, '$1')

const seriesOf = (name: string, labels: Labels): string =>
  `${name}{${Object.entries({ job: 'snippets', instance: 'a', ...labels }).map(([key, value]) => `${key}="${value}"`)}}`

const read = (route: string) =>
  Object.entries({ '1': '0+0x80', '5': '0+15x80', '+Inf': '0+15x80' }).map(
    ([le, values]) => [seriesOf('http_request_duration_seconds_bucket', { method: 'GET', route, le }), values] as const,
  )

const problem = (type: string) =>
  [
    [seriesOf('http_problems_total', { type: `urn:snippets:${type}` }), '0+5x80'],
    [seriesOf('http_request_duration_seconds_count', { method: 'GET' }), '0+15x80'],
  ] as const

const queued = (values: string) => [[seriesOf('storage_queued_operations', {}), values]] as const
const backups = (values: string) => [[seriesOf('backup_last_success_timestamp_seconds', {}), values]] as const
const failures = (values: string) => [[seriesOf('data_directory_failures_total', {}), values]] as const
const faulty = (value: number) => [[seriesOf('service_tokens_faulty', {}), `${value}x80`]] as const

const job = { job: 'snippets' }
const daily = { interval: '5m', eval_time: '60h' }
const spikes = Array.from({ length: 20 }, () => '400 0 0 0').join(' ')

describe('The alerts', () => {
  const newDirectory = directories()

  for (const [alertname, fires, when, series, labels, times] of [
    ['SnippetsSlow', false, 'a client reads the list of all snippets slowly', read('/api/snippets/'), {}, {}],
    ['SnippetsSlow', true, 'pages take seconds', read('/api/snippets-viewset/'), {}, {}],
    ['SnippetsQueueing', true, 'the queue fills once a minute', queued(spikes), job, {}],
    ['SnippetsQueueing', false, 'the queue fills once', queued('0x40 400 0x40'), job, {}],
    ['SnippetsFailing', false, 'searches are too broad', problem('search-too-broad'), {}, {}],
    ['SnippetsFailing', true, 'the storage fails', problem('unavailable'), { type: 'urn:snippets:unavailable' }, {}],
    ['SnippetsFull', true, 'the storage is full', problem('storage-full'), { type: 'urn:snippets:storage-full' }, {}],
    ['SnippetsFull', false, 'the storage fails', problem('unavailable'), {}, {}],
    ['SnippetsDataDirectoryFailing', true, 'each attempt fails', failures('0+1x80'), job, {}],
    ['SnippetsDataDirectoryFailing', false, 'the disk works again', failures('0+1x60 60x20'), job, {}],
    ['SnippetsTokensFaulty', true, 'the tokens could not be reloaded', faulty(1), job, {}],
    ['SnippetsTokensFaulty', false, 'the tokens could be reloaded', faulty(0), job, {}],
    ['SnippetsBackupMissing', false, 'the service is new', backups('_x480 0x240'), job, daily],
    ['SnippetsBackupMissing', true, 'the last backup is 30 hours old', backups('0x360 108000x360'), job, daily],
  ] as const)
    it(`${fires ? 'include' : 'leave out'} ${alertname} when ${when}`, async function () {
      if (spawnSync('promtool', ['--version']).error !== undefined) this.skip()
      const [, rule = ''] = new RegExp(`- alert: ${alertname}\n([^]*?summary: ".*")`).exec(rules) ?? []
      const [, severity = ''] = /severity: (\w+)/.exec(rule) ?? []
      const all: Labels = { instance: 'a', ...labels }
      const summary = (/summary: "(.*)"/.exec(rule)?.[1] ?? '').replace(
        /\{\{ \$labels\.(\w+) \}\}/g,
        (_, key) => all[key] ?? '',
      )
      const alert = { exp_labels: { severity, ...all }, exp_annotations: { summary } }
      const { interval, eval_time } = { interval: '15s', eval_time: '18m', ...times }
      const test = {
        interval,
        input_series: series.map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time, alertname, exp_alerts: fires ? [alert] : [] }],
      }
      const folder = await newDirectory()
      await writeFile(join(folder, 'alerts.yaml'), rules)
      // JSON is YAML too
      const file = { rule_files: ['alerts.yaml'], evaluation_interval: interval, tests: [test] }
      await writeFile(join(folder, 'test.yaml'), JSON.stringify(file))
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yaml')], {
        encoding: 'utf8',
      })
      expect(status, stdout + stderr).to.equal(0)
    })
})

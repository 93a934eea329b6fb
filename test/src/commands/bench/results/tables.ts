import type { Spread } from '../../measuring/statistics.js'
import type { Start } from '../measure-start.js'
import type { MongoResult } from '../mongo/measure-mongo.js'
import type { Result } from './ratios.js'

type Named = Readonly<{ name: string; title: string }>

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(line).join('\n')

const spreadText = ({ median, min, max }: Spread): string =>
  `${median.toFixed(2)} <sub>${min.toFixed(2)} to ${max.toFixed(2)}</sub>`

const ratio = ({ ratio }: Result): string => (ratio === undefined ? '' : spreadText(ratio))

const find = (results: readonly Result[], row: Named, server: Named): Result | undefined =>
  results.find(result => result.row === row.name && result.server === server.name)

/** One line for each kind of request, one column for each server. */
export const ratioTable = (rows: readonly Named[], servers: readonly Named[], results: readonly Result[]): string =>
  table(
    ['', ...servers.map(({ title }) => title)],
    rows.map(row => [
      row.title,
      ...servers.map(server => {
        const result = find(results, row, server)
        return result === undefined ? '' : ratio(result)
      }),
    ]),
  )

/** CPU in microseconds per request, then the latencies in milliseconds. */
export const latencyTable = (rows: readonly Named[], servers: readonly Named[], results: readonly Result[]): string =>
  table(
    ['CPU per request in µs; p50, p99 in ms', ...servers.map(({ title }) => title)],
    rows.map(row => [
      row.title,
      ...servers.map(server => {
        const result = find(results, row, server)
        if (result === undefined) return ''
        const { cpuMicroseconds, p50, p99 } = result
        return `${cpuMicroseconds.toFixed(1)}; ${p50.toFixed(1)}, ${p99.toFixed(1)}`
      }),
    ]),
  )

export const processTable = (
  servers: readonly Named[],
  starts: readonly Start[],
  megabytes: ReadonlyMap<string, number>,
): string =>
  table(
    ['', 'first answer after', 'memory when idle', 'memory after the load'],
    servers.map(({ name, title }) => {
      const start = starts.find(({ server }) => server === name)
      const after = megabytes.get(name)
      return [
        title,
        start === undefined ? '' : `${start.firstAnswerMs.toFixed(0)} ms`,
        start === undefined ? '' : `${start.idleMegabytes.toFixed(0)} MB`,
        after === undefined ? '' : `${after.toFixed(0)} MB`,
      ]
    }),
  )

/** The service on MongoDB beside a loop over the driver, and so its adapter. */
export const mongoTable = (rows: readonly Named[], results: readonly MongoResult[]): string => {
  const titleOf = (row: string): string => rows.find(({ name }) => name === row)?.title ?? row
  const services = results.map(({ row, ratio, commandsPerRequest }) => [
    titleOf(row),
    spreadText(ratio),
    commandsPerRequest.toFixed(2),
  ])
  const adapters = results.map(({ row, adapter: { ratio, adapterMicroseconds, bareMicroseconds } }) => [
    titleOf(row),
    spreadText(ratio),
    `${adapterMicroseconds.toFixed(0)}, ${bareMicroseconds.toFixed(0)}`,
  ])
  return [
    table(['On MongoDB', 'CPU, as a multiple of a loop over the driver', 'commands per request'], services),
    table(['The adapter alone', 'CPU, as a multiple of a loop over the driver', 'µs of both'], adapters),
  ].join('\n\n')
}

import { setTimeout as pause } from 'node:timers/promises'
import { table } from '../command.js'
import { code500, fill, send } from '../measuring/load.js'
import { type MeasuredProcess, startMeasured } from '../measuring/measured-process.js'
import { measure, pageRequest } from './peers.js'

/** A search that matches no snippet. */
const search = () => ({ method: 'GET', path: '/api/snippets-viewset/?search=nowhere' }) as const

/** Measures the processor time of a search in memory, in milliseconds. */
export const searches = async (): Promise<string> => {
  const server = await startMeasured({})
  const lines: string[][] = []
  let created = 0
  for (const snippets of [10_000, 100_000, 250_000]) {
    console.error(`searches ${snippets} snippets`)
    await fill(server.port, snippets - created, code500, 64)
    created = snippets
    const load = { request: search, amount: 30, connections: 1 }
    // a warm-up
    await measure(server, load)
    lines.push([snippets.toLocaleString('en'), ((await measure(server, load)) / 1000).toFixed(0)])
  }
  return table(['snippets', 'CPU ms'], lines)
}

/** Numbers of snippets, and MiB of the heap and of the container. */
const documented = [
  [81_500, 480, 640],
  [244_700, 960, 1280],
  [814_500, 2700, 3600],
] as const

const bytesPerMiB = 2 ** 20
const orderings = 'title created_at title,created_at -title,created_at created_at,title -created_at,title'.split(' ')

/** Reads a response to its end. Retries while the storage builds a list. */
const read = async (port: number, path: string): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  if (response.status === 503) return pause(1000).then(() => read(port, path))
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
  for await (const _ of response.body ?? []);
}

const gauge = async ({ adminPort }: MeasuredProcess, name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

/** Reads the snippets in every way, so that the storage has all its lists. Returns the peak of the memory, in MiB. */
const peakOf = async ({ port, usage }: MeasuredProcess): Promise<number> => {
  for (const filter of ['', '&language=go'])
    for (const ordering of orderings) await read(port, `/api/snippets-viewset/?ordering=${ordering}${filter}`)
  await read(port, '/api/snippets/')
  await send(port, { request: pageRequest, amount: 20_000 })
  return ((await usage()).peakMegabytes * 1e6) / bytesPerMiB
}

/** Measures the memory, backup and start of a service with many snippets. */
export const sizes = async (): Promise<string> => {
  const lines: string[][] = []
  for (const [snippets, heap, container] of documented) {
    const env = { NODE_OPTIONS: `--max-old-space-size=${heap}`, DATA_DIR: `size-${snippets}` }
    console.error(`creates ${snippets} snippets`)
    const first = await startMeasured(env)
    await fill(first.port, snippets, code500, 64)
    const held = await gauge(first, 'memory_storage_bytes')
    const full = held / (await gauge(first, 'memory_storage_limit_bytes'))
    const begun = performance.now()
    await read(first.adminPort, '/backup')
    const backupMs = performance.now() - begun
    const peak = await peakOf(first)
    await first.end('SIGTERM')
    const second = await startMeasured(env)
    const most = Math.max(peak, await peakOf(second))
    await second.end('SIGTERM')
    const whole = [held / bytesPerMiB, snippets, heap, container, 100 * full, most].map(value =>
      Math.round(value).toLocaleString('en'),
    )
    lines.push([...whole, ...[second.firstResponseMs, backupMs].map(ms => (ms / 1000).toFixed(1))])
  }
  return table(['MiB', 'snippets', 'heap', 'container', '% full', 'peak', 'start', 'backup'], lines)
}

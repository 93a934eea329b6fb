import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { root } from '@snippets/test/support/workspace-root.js'
import { median, readOrExplain, table, wholeNumber } from './command.js'
import { contentOf, creation, fill, type Load, languageOf, send } from './measuring/load.js'
import { arePinned, type MeasuredProcess, pinLoad, serviceScript, startMeasured } from './measuring/measured-process.js'

/** Compares the processor time of the service with that of other servers. */

const options = { rounds: { type: 'string', default: '9' } } as const
const rounds = readOrExplain('Usage: npm run bench -- [--rounds 9]', () =>
  wholeNumber('--rounds', parseArgs({ options }).values.rounds),
)

const peers = join(root, 'test/tools/bench-peers')

/** The servers by name. The first only responds; the others do the same work as the service. */
const scripts: Readonly<Record<string, string>> = {
  'node:http alone': join(peers, 'node-http.js'),
  'fastify, the same work': join(peers, 'fastify.js'),
  'koa, the same work': join(peers, 'koa.js'),
  'this service': serviceScript,
}

const snippets = 10_000
/** The requests of a round. */
const amount = 6000

/** Ids that are spread over the collection. */
const idOf = (serial: number): number => 1 + ((serial * 7919) % snippets)

const pagePath = (serial: number): string =>
  `/api/snippets-viewset/?language=${languageOf(serial)}&ordering=-created_at&page=${1 + (serial % 100)}`

const requests: Readonly<Record<string, Load['request']>> = {
  detail: serial => ({ method: 'GET', path: `/api/snippets/${idOf(serial)}/` }),
  page: serial => ({ method: 'GET', path: pagePath(serial) }),
  // no page filters by this language
  create: serial => creation({ ...contentOf(serial), language: 'new' }),
}

const mustHave = ['etag', 'location', 'x-request-id', 'x-content-type-options', 'cache-control']

/** Throws if the responses of the servers differ, apart from times, links and request ids. */
const checkResponses = async (servers: readonly MeasuredProcess[]): Promise<void> => {
  for (const [name, request] of Object.entries(requests)) {
    const { path, ...init } = request(0)
    const responses = new Set<string>()
    for (const { port } of servers) {
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
      const body = (await response.text()).replace(/"(\w+_at|next|previous)":"[^"]+"/g, '$1')
      responses.add([response.status, mustHave.filter(header => response.headers.has(header)), body].join(' '))
    }
    if (responses.size > 1) throw new Error(`The responses to ${name} differ:\n${[...responses].join('\n')}`)
  }
}

/** Sends the requests and returns the processor time of the server per request, in microseconds. */
const measure = async ({ port, usage }: MeasuredProcess, load: Load): Promise<number> => {
  const before = await usage()
  await send(port, load)
  return ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / load.amount
}

/**
 * Returns the time of each server in each round. The first round is a warm-up, and each round begins with another
 * server.
 */
const measureAll = async (name: string, request: Load['request'], servers: readonly MeasuredProcess[]) => {
  const times = servers.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    console.error(`${name}, round ${round} of ${rounds}`)
    for (const [i] of servers.entries()) {
      const next = (i + round) % servers.length
      const server = servers[next]
      const time = server && (await measure(server, { request, amount, from: round * amount }))
      if (round > 0 && time !== undefined) times[next]?.push(time)
    }
  }
  return times
}

pinLoad()
const servers: MeasuredProcess[] = []
const lines: string[][] = []
for (const [name, script] of Object.entries(scripts)) {
  console.error(`${name}: creates ${snippets} snippets`)
  const server = await startMeasured({ ADMIN_PORT: '' }, script)
  await pause(1000)
  const { megabytes } = await server.usage()
  lines.push([name, `${server.firstResponseMs.toFixed(0)} ms`, `${megabytes.toFixed(0)} MB`])
  servers.push(server)
  await fill(server.port, snippets)
}
await checkResponses(servers.slice(1))
for (const [name, request] of Object.entries(requests)) {
  const times = await measureAll(name, request, servers)
  const own = median(times.at(-1) ?? [])
  for (const [i, taken] of times.entries())
    lines[i]?.push(`${median(taken).toFixed(1)} (${(median(taken) / own).toFixed(2)})`)
}

const pinned = arePinned ? 'pinned to a core each' : 'not pinned'
console.log(
  `Node.js ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}, server and load ${pinned}, ${rounds} rounds.\n`,
)
console.log(table(['', 'first response', 'idle', ...Object.keys(requests)], lines))
process.exit()

import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freshDatabase } from '@snippets/test/support/mongo/database.js'
import { root } from '@snippets/test/support/workspace-root.js'
import { median, table } from '../command.js'
import { contentOf, creation, fill, type Load, type LoadRequest, languageOf, send } from '../measuring/load.js'
import { type MeasuredProcess, serviceScript, startMeasured } from '../measuring/measured-process.js'

const peers = join(root, 'test/tools/bench-peers')

type Server = readonly [name: string, script: string, env?: Readonly<Record<string, string>>]

/** A server that only responds. Others do the same work as the service. */
const nodeHttp: Server = ['node:http alone', join(peers, 'node-http.js')]
const service: Server = ['this service', serviceScript]

const snippets = 10_000
/** Ids that are spread over the collection. */
const idOf = (serial: number): number => 1 + ((serial * 7919) % snippets)

export const pageRequest: Load['request'] = serial => ({
  method: 'GET',
  path: `/api/snippets-viewset/?language=${languageOf(serial)}&ordering=-created_at&page=${1 + (serial % 100)}`,
})

const requests: Readonly<Record<string, Load['request']>> = {
  detail: serial => ({ method: 'GET', path: `/api/snippets/${idOf(serial)}/` }),
  page: pageRequest,
  // no page filters by this language
  create: serial => creation({ ...contentOf(serial), language: 'new' }),
}

const json = { 'Content-Type': 'application/json' }
const mustHave = ['etag', 'location', 'x-request-id', 'x-content-type-options', 'cache-control']

/** Throws if the responses of the servers differ, apart from times, links and request ids. */
const checkResponses = async (servers: readonly MeasuredProcess[]): Promise<void> => {
  for (const [name, request] of Object.entries(requests)) {
    const { path, ...init } = request(0)
    const responses = new Set<string>()
    for (const { port } of servers) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: json })
      const body = (await response.text()).replace(/"(\w+_at|next|previous)":"[^"]+"/g, '$1')
      responses.add([response.status, mustHave.filter(header => response.headers.has(header)), body].join(' '))
    }
    if (responses.size > 1) throw new Error(`The responses to ${name} differ:\n${[...responses].join('\n')}`)
  }
}

/** Sends the requests and returns the processor time of the server per request, in microseconds. */
export const measure = async ({ port, usage }: MeasuredProcess, load: Load): Promise<number> => {
  const before = await usage()
  await send(port, load)
  return ((await usage()).cpuMicroseconds - before.cpuMicroseconds) / load.amount
}

type Comparison<A> = Readonly<{
  rounds: number
  amount: number
  measure: (server: MeasuredProcess, load: Load) => Promise<A>
  cellOf: (measured: readonly A[], ofService: readonly A[]) => string
}>

/** Returns a table of the requests. The first round is a warm-up, and each round begins with another server. */
const compare = async <A>(entries: readonly Server[], { rounds, amount, measure, cellOf }: Comparison<A>) => {
  const servers: MeasuredProcess[] = []
  for (const [name, script, env] of entries) {
    console.error(`${name}: creates ${snippets} snippets`)
    const server = await startMeasured({ ADMIN_PORT: '', ...env }, script)
    await fill(server.port, snippets)
    servers.push(server)
  }
  await checkResponses(servers.slice(1))
  const lines = entries.map(([name]) => [name])
  for (const [name, request] of Object.entries(requests)) {
    const measured = servers.map((): A[] => [])
    for (let round = 0; round <= rounds; round++) {
      console.error(`${name}, round ${round} of ${rounds}`)
      for (const [i] of servers.entries()) {
        const next = (i + round) % servers.length
        const server = servers[next]
        const value = server && (await measure(server, { request, amount, from: round * amount }))
        if (round > 0 && value !== undefined) measured[next]?.push(value)
      }
    }
    const ofService = measured[entries.indexOf(service)] ?? []
    for (const [i, values] of measured.entries()) lines[i]?.push(cellOf(values, ofService))
  }
  await Promise.all(servers.map(server => server.end('SIGTERM')))
  return table(['', ...Object.keys(requests)], lines)
}

/** Compares the processor time of requests, in microseconds. */
export const speed = (rounds: number): Promise<string> => {
  const others = ['fastify', 'koa'].map((name): Server => [`${name}, the same work`, join(peers, `${name}.js`)])
  const cellOf = (times: readonly number[], own: readonly number[]) =>
    `${median(times).toFixed(0)} (${(median(times) / median(own)).toFixed(2)})`
  return compare([nodeHttp, ...others, service], { rounds, amount: 6000, measure, cellOf })
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Returns the milliseconds until the end of the response. */
const timeOf = (port: number, { body, ...options }: LoadRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    request({ agent, port, host: '127.0.0.1', headers: json, ...options }, response => {
      if (response.statusCode !== 200 && response.statusCode !== 201) reject(new Error(`${response.statusCode}`))
      response.resume().once('end', () => resolve(performance.now() - begun))
    })
      .once('error', reject)
      .end(body)
  })

/** Sends a request each millisecond, independently of responses. Returns two percentiles of their times. */
const offer = async ({ port }: MeasuredProcess, { request, amount, from = 0 }: Load) => {
  const times: Promise<number>[] = []
  for (const begun = performance.now(); times.length < amount; await pause(1)) {
    const due = Math.min(amount, performance.now() - begun)
    while (times.length < due) times.push(timeOf(port, request(from + times.length)))
  }
  const sorted = (await Promise.all(times)).toSorted((a, b) => a - b)
  return [0.5, 0.99].map(share => sorted[Math.floor(share * amount)] ?? Number.NaN)
}

/** Compares the median and the 99th percentile of response times, in milliseconds. */
export const latency = async (rounds: number): Promise<string> => {
  const { MONGODB_URL } = process.env
  const database = MONGODB_URL ? freshDatabase(MONGODB_URL) : undefined
  const env = { STORAGE: 'mongo', MONGODB_URL: database?.url ?? '' }
  const onMongo: readonly Server[] = database ? [['this service, MongoDB', serviceScript, env]] : []
  const onDirectory: Server = ['this service, `DATA_DIR`', serviceScript, { DATA_DIR: 'latency' }]
  const cellOf = (pairs: readonly (readonly number[])[]) =>
    [0, 1].map(at => Number(median(pairs.map(pair => pair[at] ?? Number.NaN)).toPrecision(2))).join(', ')
  const servers = [nodeHttp, service, onDirectory, ...onMongo]
  return compare(servers, { rounds, amount: 2000, measure: offer, cellOf }).finally(database?.drop)
}

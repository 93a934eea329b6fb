import { cpuMicroseconds } from '../../measuring/process-cpu.js'
import { median, quantile } from '../../measuring/statistics.js'
import { rows } from '../rows.js'
import { requestBytes } from './request-bytes.js'
import { runLoad } from './run-load.js'

/** A child process, so that the load has a core of its own: runs one measurement for each message. */
export type LoadTask = Readonly<{
  row: string
  round: number
  port: number
  /** Of the server. */
  pid: number
  snippets: number
  requests: number
}>

export type Measured = Readonly<{ cpuMicroseconds: number; p50: number; p99: number; perSecond: number }>

export type LoadReply = Readonly<{ measured: Measured } | { fault: string }>

const connections = 64

/** The entity tags of the snippets that are asked for, of which there are few. */
const tagsOf = async (port: number, targets: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
  const tags = new Map<string, string>()
  for (const target of targets) {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`)
    await answer.arrayBuffer()
    tags.set(target, answer.headers.get('etag') ?? '')
  }
  return tags
}

const measure = async ({ row: name, round, port, pid, snippets, requests }: LoadTask): Promise<Measured> => {
  const row = rows.find(row => row.name === name)
  if (row === undefined) throw new Error(`there is no row ${name}`)
  const parts = Array.from({ length: requests }, (_, serial) => row.request({ serial, round, snippets }))
  const tags = row.tagged && (await tagsOf(port, new Set(parts.map(({ target }) => target))))
  const bytes = parts.map(part => requestBytes(part, tags?.get(part.target)))
  let cpuBefore = 0
  let begun = 0
  const load = { port, connections: Math.min(connections, requests), requests: bytes, status: row.status }
  const times = await runLoad(load, () => {
    cpuBefore = cpuMicroseconds(pid)
    begun = performance.now()
  })
  const seconds = (performance.now() - begun) / 1000
  const used = cpuMicroseconds(pid) - cpuBefore
  return {
    cpuMicroseconds: used / requests,
    p50: median(times),
    p99: quantile(times, 0.99),
    perSecond: requests / seconds,
  }
}

const reply = (message: LoadReply): void => void process.send?.(message)

process.on('message', async (task: LoadTask) => {
  try {
    reply({ measured: await measure(task) })
  } catch (error) {
    reply({ fault: error instanceof Error ? error.message : String(error) })
  }
})
process.on('disconnect', () => process.exit())

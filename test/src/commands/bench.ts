import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchRow, measure, rows, snippets } from './bench/rows.js'
import { checkResponses, scripts } from './bench/servers.js'
import { median, readOrExplain, table, wholeNumber } from './measuring/command.js'
import { fill } from './measuring/load.js'
import { arePinned, type MeasuredProcess, pinLoad, startMeasured } from './measuring/measured-process.js'

const options = { rounds: { type: 'string', default: '9' } } as const
const rounds = readOrExplain('Usage: npm run bench -- [--rounds 9]', () =>
  wholeNumber('--rounds', parseArgs({ options }).values.rounds),
)

const amount = 6000

/** Returns the time of each server in each round. The first round is a warm-up, and each round begins with another server. */
const measureRow = async ({ name, request }: BenchRow, servers: readonly MeasuredProcess[]) => {
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

const measureAll = async (): Promise<string> => {
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
  await checkResponses(servers.slice(2))
  for (const row of rows) {
    const times = await measureRow(row, servers)
    const own = median(times.at(-1) ?? [])
    for (const [i, taken] of times.entries())
      lines[i]?.push(`${median(taken).toFixed(1)} (${(median(taken) / own).toFixed(2)})`)
  }
  for (const server of servers) await server.end('SIGKILL')
  return table(['', 'first response', 'idle', ...rows.map(({ name }) => name)], lines)
}

pinLoad()
const pinned = arePinned ? 'pinned to a core each' : 'not pinned'
const machine = `Node.js ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}, server and load ${pinned}, ${rounds} rounds.`
console.log(`${machine}\n\n${await measureAll()}`)
process.exit()

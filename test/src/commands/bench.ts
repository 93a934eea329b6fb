import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { measureMongo } from './bench/mongo.js'
import { fill, measure, type Row, rows, snippets } from './bench/rows.js'
import { type Competitor, checkAnswers, competitors, installPeers, service } from './bench/servers.js'
import { median, readOrExplain, table, wholeNumber } from './measuring/command.js'
import { arePinned, type MeasuredProcess, pinLoad, startMeasured } from './measuring/measured-process.js'

const options = { rounds: { type: 'string', default: '9' }, mongo: { type: 'boolean', default: false } } as const
const { rounds, mongo } = readOrExplain('Usage: npm run bench -- [--rounds 9] [--mongo]', () => {
  const { values } = parseArgs({ options })
  return { ...values, rounds: wholeNumber('--rounds', values.rounds) }
})

/** Requests of a measurement. */
const amount = 6000

const say = (text: string): void => console.error(text)

const start = async (competitor: Competitor) => {
  say(`${competitor.name}: creates ${snippets} snippets`)
  const server = await startMeasured(competitor)
  await pause(1000)
  const { megabytes } = await server.usage()
  await fill(server)
  return { competitor, server, cells: [`${server.firstAnswerMs.toFixed(0)} ms`, `${megabytes.toFixed(0)} MB`] }
}

/** The time that each server took in each round. The first round is a warm-up, and another server begins each. */
const measureRow = async ({ name, request }: Row, servers: readonly MeasuredProcess[]) => {
  const times = servers.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    say(`${name}, round ${round} of ${rounds}`)
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
  const started: Awaited<ReturnType<typeof start>>[] = []
  for (const competitor of competitors) started.push(await start(competitor))
  await checkAnswers(started)
  const servers = started.map(({ server }) => server)
  for (const row of rows) {
    const times = await measureRow(row, servers)
    const own = times[competitors.indexOf(service)] ?? []
    for (const [i, { cells }] of started.entries()) {
      const ratios = times[i]?.map((time, round) => time / (own[round] ?? Number.NaN)) ?? []
      cells.push(`${median(times[i] ?? []).toFixed(1)} (${median(ratios).toFixed(2)})`)
    }
  }
  for (const server of servers) await server.end('SIGKILL')
  const lines = started.map(({ competitor, cells }) => [competitor.name, ...cells])
  return table(['', 'first answer', 'idle', ...rows.map(({ name }) => name)], lines)
}

pinLoad()
const pinned = arePinned ? 'on a core each' : 'not held to cores'
const machine = `Node.js ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}, server and load ${pinned}, ${rounds} rounds.`
if (!mongo) installPeers()
console.log(`${machine}\n\n${mongo ? await measureMongo(rounds) : await measureAll()}`)
process.exit()

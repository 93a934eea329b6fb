import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { wrongUse } from '@snippets/apps/exit-codes.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { measureRows } from './bench/measure-rows.js'
import { measureStart, type Start } from './bench/measure-start.js'
import { measureMongo } from './bench/mongo/measure-mongo.js'
import { type Options, readOptions, usage } from './bench/options.js'
import { chart } from './bench/results/chart.js'
import { resultsOf } from './bench/results/ratios.js'
import { latencyTable, mongoTable, processTable, ratioTable } from './bench/results/tables.js'
import { writeResults } from './bench/results/write-results.js'
import { rows as allRows } from './bench/rows.js'
import { competitors, limit } from './bench/servers/competitors.js'
import { arePinned } from './bench/servers/cores.js'
import { installPeers } from './bench/servers/install-peers.js'
import { showProgress } from './measuring/progress.js'

const { MONGODB_URL } = process.env

const startRow = 'start'

const refuse = (why: string, exitCode = 1): never => {
  console.error(why)
  return process.exit(exitCode)
}

const prepared = () => {
  const known = {
    rows: [...allRows.map(({ name }) => name), startRow],
    servers: competitors.map(({ name }) => name),
    usualServers: competitors.filter(({ isExtra }) => !isExtra).map(({ name }) => name),
  }
  const options = readOptions(process.argv.slice(2), known)
  if (isLeft(options)) return refuse(`${options.left}\n${usage}`, wrongUse)
  if (!existsSync('/proc/self/schedstat'))
    return refuse('The bench reads the CPU time of processes from /proc, which only Linux has.')
  const servers = competitors.filter(({ name }) => options.right.only.includes(name))
  if (servers.some(({ isPeer }) => isPeer) && !installPeers())
    return refuse(
      `The other frameworks cannot be installed. To measure without them: npm run bench -- --only ${limit},snippets`,
    )
  return { options: options.right, servers, rows: allRows.filter(({ name }) => options.right.rows.includes(name)) }
}

const run = async () => {
  const { options, servers, rows } = prepared()
  let doing = ''
  const progress = showProgress(() => doing)
  const say = (what: string): void => {
    doing = what
  }
  const starts: Start[] = []
  if (options.rows.includes(startRow))
    for (const server of servers) {
      say(`${server.title}: start`)
      starts.push(await measureStart(server))
    }
  const { samples, megabytes } = await measureRows(servers, rows, options, say)
  const mongo = MONGODB_URL ? await measureMongo(MONGODB_URL, rows, options.rounds, say) : []
  progress.end()
  const results = resultsOf(samples, limit)
  const tables = [
    machine(options),
    ...(rows.length > 0 ? [ratioTable(rows, servers, results), latencyTable(rows, servers, results)] : []),
    processTable(servers, starts, megabytes),
    ...(mongo.length > 0 ? [mongoTable(rows, mongo)] : []),
  ].join('\n\n')
  console.log(tables)
  if (!options.write) return
  const shown = servers.filter(({ name }) => name !== limit).map(server => ({ ...server, isOwn: !server.isPeer }))
  writeResults(tables, chart(rows, shown, results))
}

const machine = ({ rounds, snippets }: Options): string => {
  const core = cpus()[0]?.model ?? 'an unknown processor'
  const pinned = arePinned ? 'server and load on a core each' : 'server and load not held to cores'
  return `Node.js ${process.versions.node}, ${core}, ${pinned}; ${snippets} snippets, 64 connections, ${rounds} rounds.`
}

try {
  await run()
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error))
}
process.exit()

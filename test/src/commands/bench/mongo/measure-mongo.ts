import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { freshDatabase } from '../../../support/mongo/database.js'
import { proxyTo } from '../../../support/mongo/tcp-proxy.js'
import { owned } from '../../../support/owned-child.js'
import { replyTo } from '../../measuring/reply-to.js'
import { type Spread, spreadOf } from '../../measuring/statistics.js'
import { type LoadClient, startLoad } from '../load/load-client.js'
import type { Row } from '../rows.js'
import { type Competitor, competitors } from '../servers/competitors.js'
import { onCore } from '../servers/cores.js'
import { fill } from '../servers/fill.js'
import { startServer } from '../servers/start-server.js'
import { type Compared, compareSides } from './compare-sides.js'
import type { LoopReply, LoopTask } from './loops.js'

/**
 * `ratio`: CPU of the service over that of the driver's loop, lower is better. `adapter`: the same of the adapter alone,
 * without HTTP.
 */
export type MongoResult = Readonly<{ row: string; ratio: Spread; commandsPerRequest: number; adapter: Compared }>

/** Kinds of requests that the loop knows. */
const rowNames = ['detail', 'page', 'patch', 'create']

const snippets = 1000
const requests = 1000

const serviceOn = (url: string): Competitor => {
  const own = competitors.find(({ name }) => name === 'snippets')
  if (own === undefined) throw new Error('there is no service')
  return { ...own, environment: { ...own.environment, STORAGE: 'mongo', MONGODB_URL: url } }
}

/** Loops in a process on the same core as the service. */
const startLoops = (url: string) => {
  const [file, args] = onCore('server', [fileURLToPath(new URL('loops.js', import.meta.url)), url])
  const child = owned(spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  return {
    measure: async (task: LoopTask): Promise<number> => {
      const { cpuMicroseconds } = await replyTo<LoopReply>(child, task)
      return cpuMicroseconds
    },
    stop: () => void child.kill(),
  }
}

const answers = async (url: string): Promise<boolean> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 1000 })
  try {
    await client.db().command({ ping: 1 })
    return true
  } catch {
    return false
  } finally {
    await client.close()
  }
}

/** The service against a loop over the driver, on a database of their own. Nothing where no MongoDB answers. */
export const measureMongo = async (
  engine: string,
  rows: readonly Row[],
  rounds: number,
  say: (what: string) => void,
): Promise<readonly MongoResult[]> => {
  if (!(await answers(engine))) return []
  const database = freshDatabase(engine)
  const service = await startServer(serviceOn(database.url))
  say('MongoDB: creating snippets')
  await fill(service.port, snippets)
  const loops = startLoops(database.url)
  const load = startLoad()
  const results: MongoResult[] = []
  for (const row of rows.filter(({ name }) => rowNames.includes(name))) {
    const ratios: number[] = []
    for (let round = 0; round <= rounds; round++) {
      say(`MongoDB, round ${round} of ${rounds}: ${row.title}`)
      const task = { row: row.name, round, requests, snippets }
      const own = await load.measure({ ...task, port: service.port, pid: service.pid })
      const bare = await loops.measure({ ...task, side: 'bare' })
      if (round > 0) ratios.push(own.cpuMicroseconds / bare)
    }
    const commandsPerRequest = await countCommands(database.url, row, load)
    say(`MongoDB, adapter and driver: ${row.title}`)
    const adapter = await compareSides(row.name, snippets, loops.measure)
    results.push({ row: row.name, ratio: spreadOf(ratios), commandsPerRequest, adapter })
  }
  loops.stop()
  load.stop()
  await service.stop()
  await database.drop()
  return results
}

/** Those of another process of the service, which reaches the database through a proxy that counts them. */
const countCommands = async (url: string, row: Row, load: LoadClient): Promise<number> => {
  const proxy = await proxyTo(url)
  const { port, pid, stop } = await startServer(serviceOn(proxy.url))
  const task = { row: row.name, requests, snippets, port, pid }
  await load.measure({ ...task, round: 1001 })
  const before = proxy.commands().length
  await load.measure({ ...task, round: 1002 })
  const asked = proxy.commands().slice(before)
  await stop()
  await proxy.close()
  return asked.filter(name => !housekeeping.has(name)).length / requests
}

const housekeeping: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'])

import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import { everything } from '@snippets/test/contracts/storage/stream.js'
import {
  finishCreations,
  type RequestRecord,
  repeatWrites,
  serviceClients,
} from '@snippets/test/support/faults/client.js'
import { audit, counter, type Ledger, openLedger } from '@snippets/test/support/faults/ledger.js'
import { type NetworkFault, tcpProxy } from '@snippets/test/support/faults/tcp-proxy.js'
import { documentOf, freshDatabase, openPrepared } from '@snippets/test/support/mongo/database.js'
import { replicaSetFront } from '@snippets/test/support/mongo/replica-set-front.js'
import { commandName } from '@snippets/test/support/mongo/wire-message.js'
import { randomFrom } from '@snippets/test/support/random.js'
import { type ServiceProcess, startProcess } from '@snippets/test/support/service/child-process.js'
import { withMongo } from '../with-mongo.js'
import { atLeast, atMost, type Finding, type Scenario } from './scenario.js'

const counterId = 1n

const environmentOf = (url: string) => ({ STORAGE: 'mongo', MONGODB_URL: url, ACCESS_LOG: 'off' })

const faults = ['cut', 'reset', 'black hole', 'dead peers', 'lost replies'] as const satisfies readonly NetworkFault[]

type Records = Readonly<{
  requests: RequestRecord[]
  ledger: Ledger
  suspended: Readonly<{ from: number; to: number }>[]
  /** Whether each list was complete that ended without an error. */
  lists: boolean[]
}>

/** Runs one process of the service with its clients, and replaces a killed process. */
const keepRunning = (url: string, { requests, ledger, lists }: Records) => {
  let isOver = false
  let current: ServiceProcess | undefined
  const run = async (): Promise<void> => {
    while (!isOver) {
      const service = await startProcess(environmentOf(url))
      current = service
      let hasEnded = false
      void service.ended.then(() => {
        hasEnded = true
      })
      const newClient = serviceClients(service.url, request => requests.push(request))
      // not awaited, because a list may pause longer than a restart takes
      void readLists(service.url, ledger, lists, () => !isOver && !hasEnded)
      while (!isOver && !hasEnded)
        await repeatWrites(newClient, { ledger, counterId, paceMs: 10, shouldContinue: () => !isOver && !hasEnded })
      if (!isOver) await service.ended
    }
  }
  const running = run()
  return {
    signal: (signal: NodeJS.Signals): void => current?.kill(signal),
    /** Ends the clients and then the process. Returns its exit code. */
    end: async (): Promise<number | null | undefined> => {
      isOver = true
      await running
      current?.kill('SIGTERM')
      return (await current?.ended)?.code
    },
  }
}

const runOn = async (engine: string, minutes: number): Promise<readonly Finding[]> => {
  const seconds = 30 * minutes
  const { url, db, drop } = freshDatabase(engine)
  const storage = await openPrepared(url)
  await storage.close()
  await db.collection<Readonly<{ _id: bigint }>>('snippets').insertOne(documentOf(Number(counterId), counter))
  const [proxy, front] = [await tcpProxy(url), await replicaSetFront(url)]
  const records: Records = { requests: [], ledger: openLedger(), suspended: [], lists: [] }
  const processes = [keepRunning(proxy.url, records), keepRunning(front.url, records)]
  const random = randomFrom(1)
  const counts: Record<string, number> = {}
  const disturbances: Readonly<Record<string, () => Promise<void>>> = {
    fault: async () => {
      await proxy.start(random.pick(faults))
      await pause(random.between(200, 3000))
      await proxy.restore()
    },
    election: async () => {
      front.stepDown()
      await pause(random.between(100, 1500))
      front.elect()
    },
    'member leaves': async () => {
      const member = random.between(0, 1)
      front.remove(member)
      await pause(random.between(0, 1500))
      front.elect(1 - member)
      await pause(random.between(100, 1500))
      front.rejoin(member)
    },
    'stall before a write': async () => {
      const release = front.hold(command => writes.includes(commandName(command)))
      await pause(random.between(200, 3000))
      front.intercept(() => undefined)
      release()
    },
    'stall after a write': async () => {
      const stalled = pause(random.between(200, 3000))
      front.interceptReply(async (command, reply) => {
        if (writes.includes(commandName(command))) await stalled
        return reply
      })
      await stalled
      front.interceptReply((_, reply) => reply)
    },
    'lost shard': async () => {
      // mongos stores the rows of an insert, loses the shard and reports an error for each row
      front.interceptReply(({ insert }, reply) =>
        insert === 'snippets' ? { ...reply, n: 0, writeErrors: rowErrors(Number(reply.n)) } : reply,
      )
      await pause(random.between(200, 1000))
      front.interceptReply((_, reply) => reply)
    },
    kill: async () => random.pick(processes).signal('SIGKILL'),
    suspension: async () => {
      const suspended = random.pick(processes)
      const from = performance.now()
      suspended.signal('SIGSTOP')
      await pause(random.between(200, 2000))
      suspended.signal('SIGCONT')
      records.suspended.push({ from, to: performance.now() + 500 })
    },
  }
  try {
    await pause(1000)
    for (const end = performance.now() + 1000 * seconds; performance.now() < end; ) {
      const name = random.pick(Object.keys(disturbances))
      counts[name] = (counts[name] ?? 0) + 1
      await disturbances[name]?.()
      await pause(random.between(0, 800))
    }
    await pause(3000)
    const codes = await Promise.all(processes.map(({ end }) => end()))
    await finishCreations(environmentOf(url), records.ledger, counterId)
    const { snippets, corruptRows, close } = await openPrepared(url)
    const { lost, duplicateIds, unexpected } = audit(records.ledger, await everything(snippets))
    await close()
    console.error(
      counts,
      codes,
      records.requests.length,
      records.lists.length,
      lost.slice(0, 5),
      duplicateIds.slice(0, 5),
      unexpected.slice(0, 5),
    )
    return [
      atLeast('requests answered', records.requests.filter(({ outcome }) => outcome !== 'cut').length, 10 * seconds),
      atMost('responses after the deadline while no process is suspended', lateIn(records), 0),
      atMost('acknowledged writes that are lost', lost.length, 0),
      atLeast('lists that ended', records.lists.length, seconds / 10),
      atMost('lists that ended without a row', records.lists.filter(isWhole => !isWhole).length, 0),
      atMost('corrupt rows', corruptRows(), 0),
      atMost('ids that were assigned twice', duplicateIds.length, 0),
      atMost('writes that were applied twice, or although they were rejected', unexpected.length, 0),
      atMost('other exit codes than 0', codes.filter(code => code !== 0).length, 0),
    ]
  } finally {
    for (const { signal } of processes) signal('SIGKILL')
    proxy.close()
    front.close()
    await drop()
  }
}

const writes = ['insert', 'update', 'delete', 'findAndModify']

/** Reads lists with pauses. A list that ends without an error must have each row that was there all the time. */
const readLists = async (
  url: string,
  { created, deletions }: Ledger,
  lists: boolean[],
  shouldContinue: () => boolean,
): Promise<void> => {
  const random = randomFrom(2)
  while (shouldContinue()) {
    const before = [...created]
    const text = await readSlowly(`${url}/api/snippets/`, () => pause(random.chance(0.2) ? random.between(0, 2500) : 0))
    if (text !== undefined) {
      const ids = new Set(Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => BigInt(id ?? 0)))
      lists.push(before.every(({ id, title }) => ids.has(id) || deletions.has(title)))
    }
    await pause(100)
  }
}

/** Returns the text of a response, or undefined if it is an error or incomplete. */
const readSlowly = async (url: string, wait: () => Promise<unknown>): Promise<string | undefined> => {
  const request = get(url)
  try {
    const [response]: IncomingMessage[] = await once(request, 'response')
    let text = ''
    for await (const chunk of response ?? []) {
      text += chunk
      await wait()
    }
    return response?.statusCode === 200 ? text : undefined
  } catch {
    return undefined
  } finally {
    request.destroy()
  }
}

/** The errors of mongos for the rows of an insert whose shard it has lost: HostUnreachable. */
const rowErrors = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, code: 6, errmsg: 'the shard is lost' }))

const lateIn = ({ requests, suspended }: Records): number =>
  requests.filter(
    ({ outcome, startedAt, ms }) =>
      outcome !== 'cut' &&
      ms > maxAnswerMs &&
      !suspended.some(({ from, to }) => startedAt < to && startedAt + ms > from),
  ).length

/** Two processes of the service on one MongoDB, with faults of the network, elections, kills and suspensions. */
export const mongo: Scenario = {
  name: 'mongo',
  run: async minutes => (await withMongo(engine => runOn(engine, minutes))) ?? [],
}

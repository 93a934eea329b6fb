import { setTimeout as pause } from 'node:timers/promises'
import { explicit, generated } from '../../contracts/http/workspace.js'
import { snippetOf, snippetsOf } from '../../support/http/representations.js'
import { freshDatabase, openPrepared } from '../../support/mongo/database.js'
import { type Fault, proxyTo, type TcpProxy } from '../../support/mongo/tcp-proxy.js'
import { type Ended, type LogLine, type ServiceProcess, startProcess } from '../../support/service/child-process.js'
import { anId } from '../../support/snippets.js'
import { type Asked, type ServiceClient, serviceClients } from './client.js'
import { type Audit, audit, type Ledger, openLedger, type Row } from './ledger.js'
import { counting, creating, deleting, type Step } from './load.js'

export const operations = ['create', 'get', 'put', 'patch', 'delete', 'list', 'page', 'user', 'users', 'ready'] as const
export type Operation = (typeof operations)[number]

export type Ride = Readonly<{
  asked: readonly Asked[]
  faultFrom: number
  faultTo: number
  /** From the end of the fault until every operation had worked for somebody who began it after that. */
  recoveryMs: number
  audit: Audit
  /** What was acknowledged before it was read, and yet was not read so. */
  misread: readonly string[]
  logged: readonly LogLine[]
  ended: Ended
}>

// twice what a request may take, so that each operation is also begun and answered within the fault
const faultMs = 4500
const settleMs = 1000
const paceMs = 40
const patienceMs = 15_000

/** Two counters, then those that will be deleted, then those that stay: a list that lacks its end lacks some of them. */
const seeds = Array.from({ length: 1200 }, (_, i) => ({
  _id: BigInt(i + 1),
  title: `seed ${i + 1}`,
  // so long that the first batch of the list is more than a piece of the answer
  code: i < 2 ? '0' : 'x'.repeat(160),
  language: 'seed',
  created_at: new Date(i),
  version: 1,
}))
const deletable = seeds.slice(2, 400)
const lasting = seeds.slice(400).map(({ _id, title, code }) => ({ id: String(_id), title, code }))

/** What all clients of one ride share. */
type Ground = Readonly<{ service: ServiceProcess; asked: Asked[]; misread: string[]; ledger: Ledger }>

const stepsOf = (client: ServiceClient, { service, asked, misread, ledger }: Ground): Record<Operation, Step> => {
  const read =
    (operation: Operation, target: string): Step =>
    async () =>
      (await client.ask(operation, { method: 'GET', target })).outcome
  return {
    create: creating(client, ledger),
    delete: deleting(client, ledger, deletable),
    put: counting(client, ledger, 1n, 'PUT'),
    patch: counting(client, ledger, 2n, 'PATCH'),
    get: async () => {
      const known = ledger.created.at(-1) ?? lasting[0]
      const told = await client.ask('get', { method: 'GET', target: `${explicit}${known?.id}/` })
      if (told.outcome === 'refused') misread.push(`there is no ${known?.id}`)
      if (told.outcome === 'done') {
        const { title, code } = snippetOf(told.answer)
        if (title !== known?.title || code !== known.code) misread.push(`${known?.id} is another`)
      }
      return told.outcome
    },
    list: async () => {
      const told = await client.ask('list', { method: 'GET', target: explicit })
      if (told.outcome === 'done') {
        const ids = snippetsOf(told.answer).map(({ id }) => id)
        const there = new Set(ids)
        if (there.size < ids.length) misread.push('a list has an id twice')
        if (!lasting.every(({ id }) => there.has(id))) misread.push(`a list of ${ids.length} looks whole`)
      }
      return told.outcome
    },
    page: read('page', `${generated}?language=seed&ordering=-created_at&page=3`),
    user: read('user', '/api/users/1/'),
    users: read('users', '/api/users/'),
    ready: async () => {
      const startedAt = performance.now()
      const { status } = await fetch(`${service.adminUrl}/readyz`)
      const outcome = status === 200 ? 'done' : 'unapplied'
      asked.push({ operation: 'ready', outcome, startedAt, ms: performance.now() - startedAt })
      return outcome
    },
  }
}

/** Clients of each kind ask a service process over and over, while the fault comes and goes between it and its database. */
export const rideOut = async (fault: Fault, engine: string): Promise<Ride> => {
  const { url, db, drop } = freshDatabase(engine)
  const storage = await openPrepared(url, { users: [{ id: anId(1n), username: 'ann' }] })
  await storage.close()
  await db.collection<Row>('snippets').insertMany(seeds)
  const proxy = await proxyTo(url)
  const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: proxy.url, ADMIN_PORT: '0' })
  const ground: Ground = { service, asked: [], misread: [], ledger: openLedger() }
  try {
    const times = await rideWith(fault, proxy, ground)
    service.kill('SIGTERM')
    const ended = await service.ended
    const rows = await db.collection<Row>('snippets').find().toArray()
    return { ...ground, ...times, audit: audit(ground.ledger, rows), logged: service.logged(), ended }
  } finally {
    service.kill('SIGKILL')
    await proxy.close()
    await drop()
  }
}

const rideWith = async (
  fault: Fault,
  proxy: TcpProxy,
  ground: Ground,
): Promise<Pick<Ride, 'faultFrom' | 'faultTo' | 'recoveryMs'>> => {
  const newClient = await serviceClients(ground.service.url, one => ground.asked.push(one))
  let isOver = false
  const work = async (operation: Operation): Promise<void> => {
    const client = newClient()
    const step = stepsOf(client, ground)[operation]
    while (!isOver) {
      await step()
      await pause(paceMs)
    }
    client.close()
  }
  const workers = [...operations, 'create', 'create', 'get', 'get'] as const
  const working: Promise<void>[] = workers.map(work)
  try {
    await untilAllWork(ground, 0)
    await bothUnderWay(proxy)
    const faultFrom = performance.now()
    await proxy.start(fault)
    await pause(faultMs)
    await proxy.restore()
    const faultTo = performance.now()
    // those who were not there during the fault
    working.push(...operations.map(work))
    await untilAllWork(ground, faultTo)
    const recoveryMs = performance.now() - faultTo
    await pause(settleMs)
    return { faultFrom, faultTo, recoveryMs }
  } finally {
    isOver = true
    await Promise.all(working)
  }
}

/** Until every operation has worked that was begun since. */
const untilAllWork = async ({ asked }: Ground, since: number): Promise<void> => {
  const from = performance.now()
  for (;;) {
    const done = new Set(
      asked.filter(one => one.outcome === 'done' && one.startedAt >= since).map(one => one.operation),
    )
    const missing = operations.filter(operation => !done.has(operation))
    if (missing.length === 0) return
    if (performance.now() - from > patienceMs) throw new Error(`after ${patienceMs} ms there is still no ${missing}`)
    await pause(5)
  }
}

/** Until a list is midway and a write on its way, for the fault to catch. */
const bothUnderWay = async ({ underWay, nextCommand }: TcpProxy): Promise<void> => {
  const isCaught = (names: readonly string[]) =>
    names.includes('getMore') && (names.includes('insert') || names.includes('delete'))
  while (!isCaught(underWay())) await nextCommand()
}

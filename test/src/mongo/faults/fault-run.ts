import { setTimeout as pause } from 'node:timers/promises'
import { explicit, generated } from '../../contracts/http/workspace.js'
import { type RequestRecord, serviceClients } from '../../support/faults/client.js'
import { type Audit, audit, type Ledger, openLedger, type Row } from '../../support/faults/ledger.js'
import { counting, creating, deleting, type StepOf } from '../../support/faults/load.js'
import { snippetOf, snippetsOf } from '../../support/http/representations.js'
import { documentOf, freshDatabase, openPrepared } from '../../support/mongo/database.js'
import { replicaSetFront } from '../../support/mongo/replica-set-front.js'
import { type Fault, proxyTo } from '../../support/mongo/tcp-proxy.js'
import { type Ended, type ServiceProcess, startProcess } from '../../support/service/child-process.js'
import type { LogLine } from '../../support/service/logs.js'
import { anId } from '../../support/snippets.js'

/** What befalls the database, or the way to it. */
export type Trouble = Fault | 'election'

export const operations = ['create', 'get', 'put', 'patch', 'delete', 'list', 'page', 'user', 'users', 'ready'] as const
export type Operation = (typeof operations)[number]

export type FaultRun = Readonly<{
  requests: readonly RequestRecord[]
  faultStart: number
  faultEnd: number
  /** From the end of the fault until every operation has succeeded that was started after it. */
  recoveryMs: number
  audit: Audit
  /** Reads that do not show what had been acknowledged before. */
  wrongReads: readonly string[]
  logged: readonly LogLine[]
  ended: Ended
}>

// more than a request may take, so that what hangs in the fault is answered within it
const faultMs = 3000
const settleMs = 500
const paceMs = 40
const patienceMs = 15_000

/** Two counters, then rows to delete, then rows that stay: a list without its end misses some of these. */
const seeds = Array.from({ length: 1200 }, (_, i) =>
  documentOf(i + 1, {
    title: `seed ${i + 1}`,
    // long enough that the first batch of a list is more than one chunk of the response
    code: i < 2 ? '0' : 'x'.repeat(160),
    language: 'seed',
    created_at: i,
  }),
)
const deletable = seeds.slice(2, 400)
const lasting = seeds.slice(400).map(({ _id, title, code }) => ({ id: String(_id), title, code }))

/** What stands between the service and its database. */
type Between = Readonly<{
  url: string
  /** Begins when it hits a list midway and a write in flight, where it can. */
  start: () => Promise<void>
  end: () => unknown
  close: () => void
}>

const between = async (trouble: Trouble, databaseUrl: string): Promise<Between> => {
  if (trouble === 'election') {
    const { url, stepDown, elect, close } = await replicaSetFront(databaseUrl)
    return { url, start: async () => stepDown(), end: elect, close }
  }
  const { url, underWay, start, restore, close } = await proxyTo(databaseUrl)
  const hit = async (): Promise<void> => {
    await underWay('getMore', 'insert')
    start(trouble)
  }
  return { url, start: hit, end: restore, close }
}

/** What all clients of a run share. */
type RunState = Readonly<{ service: ServiceProcess; requests: RequestRecord[]; wrongReads: string[]; ledger: Ledger }>

const stepsOf = ({ service, requests, wrongReads, ledger }: RunState): Record<Operation, StepOf> => {
  const read =
    (operation: Operation, target: string): StepOf =>
    client =>
    async () =>
      (await client.ask(operation, { method: 'GET', target })).outcome
  return {
    create: creating(ledger),
    delete: deleting(ledger, deletable),
    put: counting(ledger, 1n, 'PUT'),
    patch: counting(ledger, 2n, 'PATCH'),
    get: client => async () => {
      const known = ledger.created.at(-1) ?? lasting[0]
      const reply = await client.ask('get', { method: 'GET', target: `${explicit}${known?.id}/` })
      if (reply.outcome === 'refused') wrongReads.push(`${known?.id} is missing`)
      if (reply.outcome === 'done') {
        const { title, code } = snippetOf(reply.answer)
        if (title !== known?.title || code !== known.code) wrongReads.push(`${known?.id} has other content`)
      }
      return reply.outcome
    },
    list: client => async () => {
      const reply = await client.ask('list', { method: 'GET', target: explicit })
      if (reply.outcome === 'done') {
        const ids = snippetsOf(reply.answer).map(({ id }) => id)
        const there = new Set(ids)
        if (there.size < ids.length) wrongReads.push('a list has an id twice')
        if (!lasting.every(({ id }) => there.has(id)))
          wrongReads.push(`a list of ${ids.length} is complete but misses snippets`)
      }
      return reply.outcome
    },
    page: read('page', `${generated}?language=seed&ordering=-created_at&page=3`),
    user: read('user', '/api/users/1/'),
    users: read('users', '/api/users/'),
    ready: () => async () => {
      const startedAt = performance.now()
      const { status } = await fetch(`${service.adminUrl}/readyz`)
      const outcome = status === 200 ? 'done' : 'unapplied'
      requests.push({ operation: 'ready', outcome, startedAt, ms: performance.now() - startedAt })
      return outcome
    },
  }
}

/** Runs every operation again and again against a service, before, during and after what befalls its database. */
export const runThrough = async (trouble: Trouble, engine: string): Promise<FaultRun> => {
  const { url, db, drop } = freshDatabase(engine)
  const storage = await openPrepared(url, { users: [{ id: anId(1n), username: 'ann' }] })
  await storage.close()
  await db.collection<Row>('snippets').insertMany(seeds)
  const standIn = await between(trouble, url)
  const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: standIn.url, ADMIN_PORT: '0', ACCESS_LOG: 'off' })
  const state: RunState = { service, requests: [], wrongReads: [], ledger: openLedger() }
  try {
    const times = await runLoad(standIn, state)
    service.kill('SIGTERM')
    const ended = await service.ended
    const rows = await db.collection<Row>('snippets').find().toArray()
    return { ...state, ...times, audit: audit(state.ledger, rows), logged: service.logged(), ended }
  } finally {
    service.kill('SIGKILL')
    standIn.close()
    await drop()
  }
}

const runLoad = async (
  { start, end }: Between,
  state: RunState,
): Promise<Pick<FaultRun, 'faultStart' | 'faultEnd' | 'recoveryMs'>> => {
  const newClient = await serviceClients(state.service.url, one => state.requests.push(one))
  const steps = stepsOf(state)
  let isOver = false
  const work = async (operation: Operation): Promise<void> => {
    const client = newClient()
    const step = steps[operation](client)
    while (!isOver) {
      await step()
      await pause(paceMs)
    }
    client.close()
  }
  const working = ([...operations, 'create', 'create', 'get', 'get'] as const).map(work)
  try {
    await untilAllSucceed(state, 0)
    await start()
    const faultStart = performance.now()
    await pause(faultMs)
    await end()
    const faultEnd = performance.now()
    // new clients, with connections that were opened after the fault
    working.push(...operations.map(work))
    await untilAllSucceed(state, faultEnd)
    const recoveryMs = performance.now() - faultEnd
    await pause(settleMs)
    return { faultStart, faultEnd, recoveryMs }
  } finally {
    isOver = true
    await Promise.all(working)
  }
}

/** Resolves when every operation has succeeded that was started after this time. */
const untilAllSucceed = async ({ requests }: RunState, since: number): Promise<void> => {
  const from = performance.now()
  for (;;) {
    const done = new Set(
      requests.filter(one => one.outcome === 'done' && one.startedAt >= since).map(one => one.operation),
    )
    const missing = operations.filter(operation => !done.has(operation))
    if (missing.length === 0) return
    if (performance.now() - from > patienceMs) throw new Error(`no success of ${missing} within ${patienceMs} ms`)
    await pause(5)
  }
}

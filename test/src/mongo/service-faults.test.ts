import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { explicit, generated } from '../contracts/http/workspace.js'
import { describeMongo, freshDatabase, type TestDatabase } from '../support/mongo.js'
import { snippetOf, snippetsOf } from '../support/representations.js'
import { type LogLine, startProcess } from '../support/service-process.js'
import { type Fault, proxyTo, type TcpProxy } from '../support/tcp-proxy.js'
import { type Audit, audit, type Ledger, openLedger, type Row } from './ledger.js'
import { counting, creating, deleting, type Step } from './load.js'
import { type Asked, type Outcome, type ServiceClient, serviceClients } from './service-client.js'

const promisedMs = 2500
const faultMs = 3500
const paceMs = 30

const operations = ['create', 'get', 'put', 'patch', 'delete', 'list', 'page', 'user', 'users'] as const
type Operation = (typeof operations)[number]
const writes: readonly string[] = ['create', 'put', 'patch', 'delete'] satisfies Operation[]

type Report = Readonly<{
  asked: readonly Asked[]
  faultFrom: number
  faultTo: number
  recoveryMs: number
  audit: Audit
  /** What was acknowledged before it was read, and yet was not read so. */
  misread: readonly string[]
  logged: readonly LogLine[]
  exit: Readonly<{ code: number | null; signal: NodeJS.Signals | null }>
}>

const counters = { put: 1n, patch: 2n }
const deleted = 800
const lasting = 800

/** Two counters, then those that will be deleted, then those that stay: a list that lacks its end lacks some of them. */
const seeds = Array.from({ length: 2 + deleted + lasting }, (_, i) => ({
  _id: BigInt(i + 1),
  title: `seed ${i + 1}`,
  // so long that the first batch of the list is more than a piece of the answer
  code: i < 2 ? '0' : 'x'.repeat(300),
  language: 'seed',
  created_at: new Date(i),
  version: 1,
}))
const deletable = seeds.slice(2, 2 + deleted)
const lastingIds = seeds.slice(2 + deleted).map(({ _id }) => String(_id))

type Shared = Readonly<{ ledger: Ledger; misread: string[] }>

const stepsOf = (client: ServiceClient, { ledger, misread }: Shared): Record<Operation, Step> => {
  const read =
    (operation: Operation, target: string): Step =>
    async () =>
      (await client.ask(operation, { method: 'GET', target })).outcome
  return {
    create: creating(client, ledger),
    delete: deleting(client, ledger, deletable),
    put: counting(client, ledger, counters.put, 'PUT'),
    patch: counting(client, ledger, counters.patch, 'PATCH'),
    get: async () => {
      const { id, title, code } = ledger.created.at(-1) ?? {
        id: lastingIds[0],
        title: 'seed 803',
        code: 'x'.repeat(300),
      }
      const told = await client.ask('get', { method: 'GET', target: `${explicit}${id}/` })
      if (told.outcome === 'refused') misread.push(`there is no ${id}`)
      if (told.outcome === 'done') {
        const found = snippetOf(told.answer)
        if (found.title !== title || found.code !== code) misread.push(`${id} is another`)
      }
      return told.outcome
    },
    list: async () => {
      const told = await client.ask('list', { method: 'GET', target: explicit })
      if (told.outcome === 'done') {
        const ids = snippetsOf(told.answer).map(({ id }) => id)
        const there = new Set(ids)
        if (there.size < ids.length) misread.push('a list has an id twice')
        if (!lastingIds.every(id => there.has(id))) misread.push(`a list of ${ids.length} looks whole`)
      }
      return told.outcome
    },
    page: read('page', `${generated}?language=seed&ordering=-created_at&page=3`),
    user: read('user', '/api/users/1/'),
    users: read('users', '/api/users/'),
  }
}

/** A few clients of each kind ask over and over, while the fault comes and goes. */
const rideOut = async (fault: Fault, { url, db, drop }: TestDatabase): Promise<Report> => {
  await db.collection<Row>('snippets').insertMany(seeds)
  const proxy = await proxyTo(url)
  const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: proxy.url, USERS: 'ann' })
  while (!service.logged().some(({ msg }) => msg === 'created indexes')) await pause(20)

  const asked: Asked[] = []
  const shared: Shared = { ledger: openLedger(), misread: [] }
  const newClient = await serviceClients(service.url, one => asked.push(one))
  let isOver = false
  const work = async (operation: Operation): Promise<void> => {
    const client = newClient()
    const step = stepsOf(client, shared)[operation]
    while (!isOver) {
      await step()
      await pause(paceMs)
    }
    client.close()
  }
  const crowd = Array.from({ length: 6 }, () => ['create', 'get'] as const).flat()
  const workers = [...operations, ...crowd].map(work)

  await pause(300)
  await midwayInList(proxy)
  const faultFrom = performance.now()
  await proxy.start(fault)
  await pause(faultMs)
  await proxy.restore()
  const faultTo = performance.now()
  await Promise.all(operations.map(operation => newcomer(newClient(), operation, shared)))
  const recoveryMs = performance.now() - faultTo
  await pause(1000)
  isOver = true
  await Promise.all(workers)
  service.kill('SIGTERM')
  const { code, signal } = await service.ended
  await proxy.close()

  const rows = await db.collection<Row>('snippets').find().toArray()
  await drop()
  return {
    asked,
    faultFrom,
    faultTo,
    recoveryMs,
    audit: audit(shared.ledger, rows),
    misread: shared.misread,
    logged: service.logged(),
    exit: { code, signal },
  }
}

/** Until the database is asked for the rest of a list. */
const midwayInList = async (proxy: TcpProxy): Promise<void> => {
  const from = proxy.commands().length
  while (!proxy.commands().includes('getMore', from)) await new Promise(setImmediate)
}

/** One who was not there during the fault, and tries until it works. */
const newcomer = async (client: ServiceClient, operation: Operation, shared: Shared): Promise<void> => {
  const step = stepsOf(client, shared)[operation]
  while ((await step()) !== 'done') await pause(paceMs)
  client.close()
}

const isUnavailable = ({ outcome }: Asked): boolean => outcome === 'unapplied' || outcome === 'unknown'
const slowestOf = ({ asked }: Report): number => Math.max(...asked.map(({ ms }) => ms))

describeMongo('the service, while its database', engine => {
  const faults: readonly Fault[] = ['cut', 'reset', 'black hole', 'lost replies', 'slow']
  const reports = new Map<Fault, Report>()

  before(async function () {
    this.timeout(60_000)
    await Promise.all(faults.map(async fault => reports.set(fault, await rideOut(fault, freshDatabase(engine)))))
  })

  after(() => {
    const row = (cells: readonly (string | number)[]) => cells.map(cell => String(cell).padStart(14)).join('')
    console.log(row(['fault', 'requests', 'unavailable', 'slowest ms', 'lost writes', 'duplicate ids', 'recovery ms']))
    for (const [fault, report] of reports) {
      const { asked, audit, recoveryMs } = report
      const numbers = [
        asked.length,
        asked.filter(isUnavailable).length,
        Math.round(slowestOf(report)),
        audit.lost.length,
        audit.duplicateIds.length,
        Math.round(recoveryMs),
      ]
      console.log(row([fault, ...numbers]))
    }
  })

  const titles: Record<Fault, string> = {
    cut: 'cuts its connections',
    reset: 'resets its connections',
    'black hole': 'is in a black hole',
    'lost replies': 'sends replies that never arrive',
    slow: 'is slow',
  }

  for (const fault of faults) {
    describe(titles[fault], () => {
      const report = (): Report => {
        const found = reports.get(fault)
        if (found === undefined) throw new Error('it was not ridden out')
        return found
      }
      const outcomesOf = (operation: string, during: (asked: Asked) => boolean = () => true): ReadonlySet<Outcome> =>
        new Set(
          report()
            .asked.filter(asked => asked.operation === operation && during(asked))
            .map(({ outcome }) => outcome),
        )

      it('answers every request within the promised time', () => {
        expect(slowestOf(report())).to.be.below(promisedMs)
      })

      it('answers every kind of request with 503 meanwhile, and serves it again without a restart', () => {
        const { faultFrom, faultTo } = report()
        for (const operation of operations) {
          const meanwhile = outcomesOf(
            operation,
            ({ startedAt, ms }) => startedAt > faultFrom && startedAt + ms < faultTo,
          )
          expect(
            [...meanwhile].filter(outcome => outcome !== 'unapplied' && outcome !== 'unknown'),
            operation,
          ).to.deep.equal([])
          expect(meanwhile, operation).to.not.deep.equal(new Set())
          expect(
            outcomesOf(operation, ({ startedAt }) => startedAt > faultTo),
            operation,
          ).to.include('done')
        }
      })

      it('says that the outcome is unknown of writes alone', () => {
        const unknown = report().asked.filter(({ outcome }) => outcome === 'unknown')
        expect(unknown.filter(({ operation }) => !writes.includes(operation))).to.deep.equal([])
        if (fault !== 'cut' && fault !== 'reset')
          expect(unknown.map(({ operation }) => operation)).to.include.members(['put', 'patch', 'delete'])
      })

      it('cuts a list off midway, and leaves no other answer out', () => {
        const cut = report().asked.filter(({ outcome }) => outcome === 'cut')
        expect(new Set(cut.map(({ operation }) => operation))).to.deep.equal(new Set(['list']))
      })

      it('shows what it acknowledged, and no list that only looks whole', () => {
        expect(report().misread).to.deep.equal([])
      })

      it('loses no acknowledged write, hands out no id twice, and writes nothing that it said it did not', () => {
        for (const operation of writes) expect(outcomesOf(operation), operation).to.include('done')
        expect(report().audit).to.deep.equal({ lost: [], duplicateIds: [], unasked: [] } satisfies Audit)
      })

      it('logs what happened as warnings, goes on, and ends when it is told to', () => {
        const { logged, exit } = report()
        const grave = new Set(logged.filter(({ level }) => level > 40).map(({ msg }) => msg))
        expect(grave).to.deep.equal(new Set(['a list broke off midway']))
        expect(exit).to.deep.equal({ code: 0, signal: null })
      })
    })
  }
})

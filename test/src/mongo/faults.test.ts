import { setTimeout as pause } from 'node:timers/promises'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { StorageError } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import { expect } from 'chai'
import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo.js'
import { anId, changes, draft } from '../support/snippets.js'
import { type Fault, proxyTo } from '../support/tcp-proxy.js'

const promisedMs = 2500
const faultMs = 3500
const settleMs = 2500
const seeded = 400

type Outcome = 'applied' | 'unapplied' | 'unknown' | 'refused'
type Answer = Readonly<{ operation: string; outcome: Outcome; subject: string; startedAt: number; ms: number }>

type Report = Readonly<{
  answers: readonly Answer[]
  restoredAt: number
  recoveryMs: number
  created: readonly Id[]
  /** How often each title is stored afterwards. */
  stored: ReadonlyMap<string, number>
  versionOfUpdated: number
  seedsLeft: ReadonlySet<string>
}>

const operations = ['create', 'get', 'update', 'delete', 'page', 'all', 'user', 'users', 'check'] as const

/** One operation of each kind over and over, in a few workers each, while the fault comes and goes. */
const rideOut = async (fault: Fault, { url, db, drop }: TestDatabase): Promise<Report> => {
  const direct = await openPrepared(url, { users: [{ id: anId(1n), username: 'ann' }] })
  await Promise.all(
    Array.from({ length: seeded }, (_, i) => direct.snippets.create(draft({ title: `seed ${i + 1}` }))()),
  )
  await direct.close()

  const proxy = await proxyTo(url)
  const storage = await openPrepared(proxy.url)
  const answers: Answer[] = []
  const created: Id[] = []
  let isOver = false
  let serial = 0

  const note = async (
    operation: string,
    subject: string,
    run: () => Promise<Either<StorageError, unknown>>,
  ): Promise<boolean> => {
    const startedAt = performance.now()
    const answer = await run()
    const ms = performance.now() - startedAt
    const outcome = isLeft(answer) ? outcomeOf(answer.left) : 'applied'
    answers.push({ operation, subject, startedAt, ms, outcome })
    if (outcome === 'applied' || outcome === 'refused') return true
    // as a caller does who was told to come again
    await pause(20)
    return false
  }
  const once: Record<(typeof operations)[number], () => Promise<boolean>> = {
    create: () => {
      const title = `created ${serial++}`
      return note('create', title, async () => {
        const answer = await storage.snippets.create(draft({ title }))()
        if (isRight(answer)) created.push(answer.right.id)
        return answer
      })
    },
    get: () => note('get', '', storage.snippets.get(anId(1n))),
    update: () => note('update', '', storage.snippets.update(anId(1n), changes({ code: `${serial++}` }), none)),
    delete: () => {
      const id = 2 + (serial++ % (seeded - 2))
      return note('delete', `seed ${id}`, storage.snippets.delete(anId(BigInt(id)), none))
    },
    page: () => note('page', '', storage.snippets.page({ filter: {}, ordering: [], window: { page: 1, size: 3 } })),
    all: () => note('all', '', () => firstBatch(storage)),
    user: () => note('user', '', storage.users.get(anId(1n))),
    users: () => note('users', '', storage.users.page({ page: 1, size: 10 })),
    check: () => note('check', '', storage.check),
  }
  const work = async (operation: (typeof operations)[number]) => {
    while (!isOver) {
      await once[operation]()
      await pause(5)
    }
  }
  const crowd = Array.from({ length: 10 }, () => ['create', 'get'] as const).flat()
  const workers = [...operations, ...crowd].map(work)

  await pause(300)
  await proxy.start(fault)
  await pause(faultMs)
  await proxy.restore()
  const restoredAt = performance.now()
  // what a newcomer sees, who was not there during the fault
  await Promise.all(
    operations.map(async operation => {
      while (!(await once[operation]()));
    }),
  )
  const recoveryMs = performance.now() - restoredAt
  await pause(settleMs)
  isOver = true
  await Promise.all(workers)
  await storage.close()
  await proxy.close()

  const rows = await db.collection<{ _id: bigint; title: string; version: number }>('snippets').find().toArray()
  await drop()
  const stored = new Map<string, number>()
  for (const { title } of rows) stored.set(title, (stored.get(title) ?? 0) + 1)
  return {
    answers,
    restoredAt,
    recoveryMs,
    created,
    stored,
    versionOfUpdated: rows.find(({ _id }) => _id === 1n)?.version ?? 0,
    seedsLeft: new Set(rows.map(({ title }) => title).filter(title => title.startsWith('seed'))),
  }
}

const outcomeOf = (error: StorageError): Outcome => (error._tag === 'Unavailable' ? error.outcome : 'refused')

const firstBatch = async (storage: MongoStorage): Promise<Either<StorageError, unknown>> => {
  for await (const batch of storage.snippets.all()) return batch
  throw new Error('there are snippets, so there is a first batch')
}

const of = ({ answers }: Report, operation: string, outcome: Outcome): readonly Answer[] =>
  answers.filter(answer => answer.operation === operation && answer.outcome === outcome)

const slowestOf = ({ answers }: Report): number => Math.max(...answers.map(({ ms }) => ms))

const lostOf = (report: Report): number =>
  of(report, 'create', 'applied').filter(({ subject }) => !report.stored.has(subject)).length +
  of(report, 'delete', 'applied').filter(({ subject }) => report.seedsLeft.has(subject)).length +
  Math.max(0, 1 + of(report, 'update', 'applied').length - report.versionOfUpdated)

const duplicatesOf = ({ created }: Report): number => created.length - new Set(created).size

describeMongo('MongoDB storage in a fault', engine => {
  const faults: readonly Fault[] = ['cut', 'reset', 'black hole', 'lost replies', 'slow']
  const reports = new Map<Fault, Report>()

  before(async function () {
    this.timeout(30_000)
    await Promise.all(faults.map(async fault => reports.set(fault, await rideOut(fault, freshDatabase(engine)))))
  })

  after(() => {
    const row = (cells: readonly (string | number)[]) => cells.map(cell => String(cell).padStart(14)).join('')
    console.log(row(['fault', 'requests', 'unavailable', 'slowest ms', 'lost writes', 'duplicate ids', 'recovery ms']))
    for (const fault of faults) {
      const report = reports.get(fault)
      if (report === undefined) continue
      const unavailable = report.answers.filter(
        ({ outcome }) => outcome === 'unapplied' || outcome === 'unknown',
      ).length
      const slowest = Math.round(slowestOf(report))
      const recovery = Math.round(report.recoveryMs)
      console.log(
        row([fault, report.answers.length, unavailable, slowest, lostOf(report), duplicatesOf(report), recovery]),
      )
    }
  })

  for (const fault of faults) {
    describe(fault, () => {
      const report = (): Report => {
        const found = reports.get(fault)
        if (found === undefined) throw new Error('it was not ridden out')
        return found
      }

      it('answers every operation within the promised time', () => {
        expect(slowestOf(report())).to.be.below(promisedMs)
      })

      it('says Unavailable and nothing else, and works again afterwards', () => {
        for (const operation of operations) {
          const answers = report().answers.filter(answer => answer.operation === operation)
          expect(answers.filter(({ outcome }) => outcome === 'refused' && operation !== 'delete')).to.deep.equal([])
          expect(answers.some(({ outcome }) => outcome === 'unapplied' || outcome === 'unknown')).to.equal(true)
          expect(
            answers.some(({ outcome, startedAt }) => outcome === 'applied' && startedAt > report().restoredAt),
          ).to.equal(true, operation)
        }
      })

      it('calls the outcome of no read unknown', () => {
        const unknown = report().answers.filter(({ outcome }) => outcome === 'unknown')
        expect(new Set(unknown.map(({ operation }) => operation))).to.satisfy((found: ReadonlySet<string>) =>
          [...found].every(operation => ['create', 'update', 'delete'].includes(operation)),
        )
      })

      it('loses no acknowledged write and hands out no id twice', () => {
        expect(of(report(), 'create', 'applied')).to.not.deep.equal([])
        expect(lostOf(report())).to.equal(0)
        expect(duplicatesOf(report())).to.equal(0)
      })

      it('stored nothing of what it called unapplied, and nothing twice', () => {
        const { stored, seedsLeft, versionOfUpdated } = report()
        expect(of(report(), 'create', 'unapplied').filter(({ subject }) => stored.has(subject))).to.deep.equal([])
        expect([...stored].filter(([, times]) => times > 1)).to.deep.equal([])
        const deleted = new Set(
          [...of(report(), 'delete', 'applied'), ...of(report(), 'delete', 'unknown')].map(({ subject }) => subject),
        )
        const spared = of(report(), 'delete', 'unapplied').filter(({ subject }) => !deleted.has(subject))
        expect(spared.filter(({ subject }) => !seedsLeft.has(subject))).to.deep.equal([])
        const possible = of(report(), 'update', 'applied').length + of(report(), 'update', 'unknown').length
        expect(versionOfUpdated).to.be.at.most(1 + possible)
      })
    })
  }
})

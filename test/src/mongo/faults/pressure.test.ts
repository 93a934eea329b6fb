import { setTimeout as pause } from 'node:timers/promises'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { type Either, isRight } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { describeMongo, documentOf, mongoForEach } from '../../support/mongo/database.js'
import { anId, changes } from '../../support/snippets.js'

// low enough for a test database on two shared cores to catch up
const usualRate = 80
/** More updates per second than the queue takes. */
const outageRate = 3000
const outageMs = 3000
const tickMs = 5

type Outcome = 'done' | 'unapplied' | 'unknown'
type Update = Readonly<{ id: number; startedAt: number; ms: number; outcome: Outcome }>

const rows = Array.from({ length: 1000 }, (_, i) => documentOf(i + 1))

describeMongo('A MongoDB storage under load', engine => {
  const { db, open, proxy: newProxy } = mongoForEach(engine)

  it('answers updates within its deadline during an outage, loses none, applies none twice, and recovers', async function () {
    this.timeout(60_000)
    const proxy = await newProxy()
    const { snippets } = await open({ url: proxy.url })
    const stored = db().collection<Readonly<{ _id: bigint; version: number }>>('snippets')
    await stored.insertMany(rows)
    const load = openLoop(id => snippets.update(anId(BigInt(id)), changes({ code: `code ${id}` }), anyRevision)())
    const oneSucceeds = (since: number) =>
      eventually(() => load.updates.some(({ outcome, startedAt }) => outcome === 'done' && startedAt > since))
    load.setRate(usualRate)
    await oneSucceeds(0)
    load.setRate(outageRate)
    await proxy.start('black hole')
    await pause(outageMs)
    await proxy.restore()
    load.setRate(usualRate)
    await oneSucceeds(performance.now())
    await load.stop()

    const slowest = Math.max(...load.updates.map(({ ms }) => ms))
    expect(slowest - load.lateMs()).to.be.below(maxAnswerMs)
    expect(load.updates.filter(({ outcome }) => outcome === 'unapplied')).to.not.be.empty
    // the version counts the updates of a row
    const wrong = (await stored.find().toArray()).filter(({ _id, version }) => {
      const own = load.updates.filter(({ id }) => BigInt(id) === _id)
      const count = (outcome: Outcome) => own.filter(update => update.outcome === outcome).length
      return version - 1 < count('done') || version - 1 > count('done') + count('unknown')
    })
    expect(wrong).to.deep.equal([])
  })
})

/** Sends updates at a constant rate, also while earlier updates wait. */
const openLoop = (update: (id: number) => Promise<Either<StorageError, unknown>>) => {
  const updates: Update[] = []
  let [serial, inFlight, rate, due, late] = [0, 0, 0, 0, 0]
  let last = performance.now()
  const send = async (): Promise<void> => {
    const [id, startedAt] = [(serial++ % rows.length) + 1, performance.now()]
    inFlight++
    const outcome = outcomeOf(await update(id))
    inFlight--
    updates.push({ id, startedAt, ms: performance.now() - startedAt, outcome })
  }
  const timer = setInterval(() => {
    const now = performance.now()
    late = Math.max(late, now - last - tickMs)
    due += ((now - last) * rate) / 1000
    last = now
    for (; due >= 1; due--) void send()
  }, tickMs)
  return {
    updates: updates as readonly Update[],
    /** Sets how many updates start per second. */
    setRate: (perSecond: number): void => {
      rate = perSecond
    },
    /** Returns the longest delay of this process. Answers seem slower by this time. */
    lateMs: () => late,
    /** Starts no more updates. Resolves when all are answered. */
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await eventually(() => inFlight === 0)
    },
  }
}

const outcomeOf = (result: Either<StorageError, unknown>): Outcome => {
  if (isRight(result)) return 'done'
  if (result.left._tag === 'Unavailable') return result.left.outcome
  throw new Error(`unexpected ${result.left._tag}`)
}

import { setTimeout as pause } from 'node:timers/promises'
import { anyRevision, expectOneOf } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { User } from '@snippets/domain/entities/user.js'
import { stale } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/ports.js'
import { keyLifetimeMs } from '@snippets/domain/ports/retry-key.js'
import { windowOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { type Audit, audit } from '../../support/faults/ledger.js'
import {
  type PortCall,
  type PortLoad,
  type PortOperation,
  portLoad,
  portOperations,
  portSteps,
  portWrites,
} from '../../support/faults/port-load.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import type { OpenStorage } from './storage-contract.js'
import { createMany, everything } from './stream.js'

/** A way to break a storage for a while. */
export type OutageHarness = Readonly<{
  /**
   * The names of the faults. There must be one for each of these: the storage is gone and says so, it does not answer, and
   * it applies writes whose answers are lost.
   */
  faults: readonly string[]
  /** Makes new, empty data, and a way to it that can break. */
  create: (fault: string) => Promise<BreakableData>
  /** Whether several processes may use the data at the same time, and start while it is away. */
  isRemote: boolean
  /** How many faults are tried at the same time: 1 if a fault befalls the whole process. */
  atATime?: number
  /** For a slow storage: the number of snippets, and the pause after each operation of a caller. */
  size?: number
  paceMs?: number
}>

export type BreakableData = Readonly<{
  /** Opens a storage on the data, as one process of the service does. While a remote storage is away this does not wait. */
  open: (users: readonly User[]) => Promise<OpenStorage>
  /** Begins the fault. */
  break: () => unknown
  /** Ends the fault. */
  restore: () => unknown
  /** Closes what `create` opened, and removes the data. */
  remove: () => Promise<void>
}>

const users = [{ id: anId(1n), username: 'ann' }]

/** More than an operation may take, so that each is answered during the fault. */
const faultMs = maxAnswerMs + 500
const settleMs = 500
const usualPaceMs = 40
const patienceMs = 15_000
const maxRecoveryMs = 5000

/** The demands of `domain/src/ports/ports.ts` on a storage that fails and recovers, is opened again, or is shared by processes. */
export const outageContract = (name: string, harness: OutageHarness): void => {
  describe(`${name} as a storage that fails`, () => {
    const runs = new Map<string, OutageRun>()
    before(async function () {
      this.timeout(60_000 * harness.faults.length)
      const left = [...harness.faults]
      const runTheRest = async (): Promise<void> => {
        for (let fault = left.shift(); fault !== undefined; fault = left.shift())
          runs.set(fault, await runThrough(harness, fault))
      }
      // few at a time, so that each has enough of the processor to answer in time
      await Promise.all(Array.from({ length: harness.atATime ?? 2 }, runTheRest))
    })

    after(() => {
      for (const [fault, { calls, recoveryMs }] of runs) {
        const [slowest, recovery] = [Math.max(...calls.map(({ ms }) => ms)), recoveryMs].map(Math.round)
        console.log(`    ${fault}: ${calls.length} calls, slowest ${slowest} ms, recovery ${recovery} ms`)
      }
    })

    for (const fault of harness.faults)
      describe(`during the fault "${fault}"`, () => expectations(() => runs.get(fault)))
  })

  describe(`${name} as a storage that is opened again`, () => {
    let data: BreakableData
    const opened: OpenStorage[] = []
    const open = async (users: readonly User[] = []): Promise<OpenStorage> => {
      const storage = await data.open(users)
      opened.push(storage)
      return storage
    }
    const closeAll = () => Promise.all(opened.splice(0).map(({ close }) => close()))
    beforeEach(async () => {
      data = await harness.create(harness.faults[0] ?? '')
    })
    afterEach(async () => {
      await closeAll()
      await data.remove()
    })

    it('keeps every snippet, and does not reuse the id of a deleted snippet', async () => {
      const { snippets } = await open()
      for (const title of ['first', 'é 😀 \u2028 \0', 'last']) must(await snippets.create(draft({ title }))())
      must(await snippets.update(anId(2n), changes({ code: 'new' }), anyRevision)())
      must(await snippets.delete(anId(3n), anyRevision)())
      const stored = await everything(snippets)
      await closeAll()
      const again = await open()
      expect(await everything(again.snippets)).to.deep.equal(stored)
      expect(must(await again.snippets.create(draft())()).id > 3n).to.equal(true)
    })

    it('keeps the key of a deleted snippet, and forgets it after a day', async () => {
      const create = ({ snippets }: OpenStorage, key: string, created_at: number) =>
        snippets.createOnce(draft({ created_at }), { key, fingerprint: 'f' })()
      const now = Date.now()
      const keys = ['k', 'K', '😀', '\0', 'x'.repeat(320)]
      const items = new Map<string, Snippet>()
      const first = await open()
      for (const key of keys) {
        const { item } = must(await create(first, key, now))
        items.set(key, item)
        must(await first.snippets.delete(item.id, anyRevision)())
      }
      await closeAll()
      const again = await open()
      for (const key of keys) {
        const replay = right({ item: items.get(key), isReplay: true })
        expect(await create(again, key, now + keyLifetimeMs - 1)).to.deep.equal(replay)
      }
      for (const key of keys) expect(must(await create(again, key, now + keyLifetimeMs)).isReplay).to.equal(false)
    })

    if (harness.isRemote) {
      it('applies exactly one of concurrent writes of two processes that expect the same revision', async () => {
        const stores = [(await open()).snippets, (await open()).snippets] as const
        for (let round = 0; round < 10; round++) {
          const snippet = must(await stores[0].create(draft())())
          const updates = await Promise.all(
            Array.from({ length: 10 }, (_, i) =>
              stores[i % 2 === 0 ? 0 : 1].update(snippet.id, changes({ title: `by ${i}` }), expectOneOf([snippet]))(),
            ),
          )
          const [updated, ...others] = updates.filter(isRight).map(must)
          expect(others).to.deep.equal([])
          expect(await stores[1].get(snippet.id)()).to.deep.equal(right(updated))
          const deletions = await Promise.all(stores.map(store => store.delete(snippet.id, anyRevision)()))
          expect(deletions.filter(isRight)).to.have.length(1)
        }
      })

      it('shows writes to other processes, assigns growing ids, and creates once for each key', async () => {
        const [one, other] = [await open(), await open()]
        const snippet = must(await one.snippets.create(draft())())
        const changed = must(
          await other.snippets.update(snippet.id, changes({ code: 'new' }), expectOneOf([snippet]))(),
        )
        expect(await one.snippets.get(snippet.id)()).to.deep.equal(right(changed))
        expect(await one.snippets.delete(snippet.id, expectOneOf([snippet]))()).to.deep.equal(left(stale))
        const ids: bigint[] = []
        for (const { snippets } of [other, one, other, one]) ids.push(must(await snippets.create(draft())()).id)
        expect(ids).to.deep.equal(ids.toSorted((a, b) => (a < b ? -1 : 1)))
        const retry = { key: 'k', fingerprint: 'f' }
        const answers = await Promise.all(
          Array.from({ length: 40 }, async (_, i) => {
            const { snippets } = i % 2 === 0 ? one : other
            return [must(await snippets.createOnce(draft(), retry)()), must(await snippets.create(draft())())] as const
          }),
        )
        expect(answers.filter(([{ isReplay }]) => !isReplay)).to.have.length(1)
        expect(new Set(answers.flatMap(([{ item }, { id }]) => [item.id, id])).size).to.equal(41)
        expect(await everything(one.snippets)).to.have.length(46)
      })

      it('stores its users once if several processes start at the same time', async () => {
        const people = Array.from({ length: 50 }, (_, i) => ({ id: anId(BigInt(i + 1)), username: `user ${i + 1}` }))
        const storages = await Promise.all(Array.from({ length: 6 }, () => open(people)))
        for (const storage of storages)
          expect(must(await storage.users.page(windowOf(1, 100))())).to.deep.equal({ count: 50, items: people })
      })

      it('opens while the database is unavailable, and applies no write until it is available', async () => {
        await data.break()
        const storage = await open(users)
        const load = portLoad([], [])
        const steps = portSteps(storage, load, firstVersion(anId(1n), draft()))
        await Promise.all(portOperations.map(operation => steps[operation]()))
        expect(load.unexpected).to.deep.equal([])
        expect(load.calls.filter(({ outcome }) => outcome !== 'unapplied')).to.deep.equal([])
        await data.restore()
        await untilAllSucceed(load, ['createOnce', 'users'], steps)
        expect(await everything(storage.snippets)).to.have.length(load.ledger.created.length)
        while (must(await storage.users.page(windowOf(1, 10))()).count === 0) await pause(usualPaceMs)
        expect(must(await storage.users.get(anId(1n))())).to.deep.equal(users[0])
      })
    }
  })
}

type OutageRun = PortLoad & Readonly<{ begin: number; end: number; recoveryMs: number; audit: Audit }>

const expectations = (runOf: () => OutageRun | undefined): void => {
  let run: OutageRun
  before(() => {
    const found = runOf()
    if (found === undefined) throw new Error('the run failed')
    run = found
  })
  const isWrite = ({ operation }: PortCall): boolean => portWrites.some(write => write === operation)
  const failed = ({ outcome }: PortCall): boolean => outcome === 'unapplied' || outcome === 'unknown'

  it('answers every operation within the bound of the port, with a Left for a failure', () => {
    expect(run.unexpected).to.deep.equal([])
    expect(run.calls.filter(({ ms }) => ms > maxAnswerMs)).to.deep.equal([])
  })

  it('reports failed writes, and an unknown outcome for writes only', () => {
    const during = run.calls.filter(({ startedAt, ms }) => startedAt < run.end && startedAt + ms > run.begin)
    expect(during.filter(call => isWrite(call) && failed(call))).to.not.deep.equal([])
    expect(run.calls.filter(call => !isWrite(call) && call.outcome === 'unknown')).to.deep.equal([])
  })

  it('loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied', () => {
    expect(run.audit).to.deep.equal({ lost: [], duplicateIds: [], unexpected: [] } satisfies Audit)
  })

  it('shows acknowledged writes, and ends an incomplete list with a Left', () => {
    expect(run.wrongReads).to.deep.equal([])
  })

  it('works again within 5 seconds after the fault', () => {
    expect(run.recoveryMs).to.be.below(maxRecoveryMs)
  })
}

/** Calls every operation again and again before, during and after a fault. A remote storage is opened twice, as by two processes. */
const runThrough = async (harness: OutageHarness, fault: string): Promise<OutageRun> => {
  const { create, isRemote, size = 1200, paceMs = usualPaceMs } = harness
  const data = await create(fault)
  const storages = [await data.open(users), ...(isRemote ? [await data.open(users)] : [])]
  try {
    const [first] = storages
    if (first === undefined) throw new Error('no storage')
    const seeds = await createMany(first, size)
    const load = portLoad(seeds.slice(0, size / 2), seeds.slice(size / 2))
    const steps = await Promise.all(
      storages.map(async storage => {
        const counter = must(
          await storage.snippets.create(draft({ title: `counter ${storages.indexOf(storage)}`, code: '0' }))(),
        )
        return portSteps(storage, load, counter)
      }),
    )
    let [isOver, isPaused] = [false, false]
    const active = new Set<Promise<unknown>>()
    const repeat = async (step: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        const stepping = isPaused ? Promise.resolve() : step()
        active.add(stepping)
        await stepping
        active.delete(stepping)
        await pause(paceMs)
      }
    }
    const repeating = steps.flatMap(step => portOperations.map(operation => repeat(step[operation])))
    try {
      await untilAllSucceed(load)
      // a batch in progress at the fault would fail alone, and reject the writes in the queue without sending them
      isPaused = !isRemote
      if (isPaused) await Promise.all(active)
      const begin = performance.now()
      await data.break()
      // the fault hits creations of either kind
      const hit = steps.flatMap(({ create, createOnce }) => [create(), createOnce(), createOnce()])
      isPaused = false
      await pause(faultMs)
      await data.restore()
      const end = performance.now()
      await untilAllSucceed(load)
      const recoveryMs = performance.now() - end
      await pause(settleMs)
      isOver = true
      await Promise.all([...repeating, ...hit])
      while (load.ledger.repeating.size > 0) await steps[0]?.createOnce()
      await Promise.all(storages.splice(0).map(({ close }) => close()))
      storages.push(await data.open(users))
      const rows = storages[0] === undefined ? [] : await everything(storages[0].snippets)
      const stored = rows.map(({ id, title, code }) => ({ _id: id, title, code }))
      return { ...load, begin, end, recoveryMs, audit: audit(load.ledger, stored) }
    } finally {
      isOver = true
      // an operation without a deadline may never end
      await Promise.race([Promise.all(repeating), pause(2 * maxAnswerMs)])
    }
  } finally {
    await Promise.all(storages.map(({ close }) => close()))
    await data.remove()
  }
}

/** Resolves when each operation was called from now on and succeeded. Calls the given steps itself. */
const untilAllSucceed = async (
  { calls }: PortLoad,
  operations: readonly PortOperation[] = portOperations,
  steps?: Partial<Record<PortOperation, () => Promise<unknown>>>,
): Promise<void> => {
  const since = performance.now()
  for (;;) {
    if (steps !== undefined) await Promise.all(operations.map(operation => steps[operation]?.()))
    const done = new Set(
      calls.flatMap(call => (call.outcome === 'done' && call.startedAt >= since ? call.operation : [])),
    )
    const missing = operations.filter(operation => !done.has(operation))
    if (missing.length === 0) return
    if (performance.now() - since > patienceMs) throw new Error(`no success of ${missing} within ${patienceMs} ms`)
    await pause(5)
  }
}

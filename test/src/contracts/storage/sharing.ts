import { setTimeout as pause } from 'node:timers/promises'
import { anyRevision, expectOneOf } from '@snippets/domain/entities/revision.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { stale } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { audit } from '../../support/faults/ledger.js'
import { portLoad, portOperations, portSteps } from '../../support/faults/port-load.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { dataForEach } from '../../support/storage/open-storage.js'
import type { OutageHarness } from './outage-contract.js'
import { everything } from './stream.js'

const maxCloseMs = 5000
const maxRecoveryMs = 15_000

const users = [{ id: anId(1n), username: 'ann' }]

/** A snippet that does not exist, with an id that no creation reaches. */
const missing = firstVersion(anId(2n ** 62n), draft())

/** Tests storages that several processes may use at the same time. */
export const sharingContract = (name: string, harness: OutageHarness): void => {
  describe(`Outage contract of ${name}: a storage that several processes share`, () => {
    const { open } = dataForEach(harness)

    it('applies exactly one of the concurrent updates of one revision, and exactly one of two deletes', async () => {
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

    it('makes writes visible to other processes, assigns growing ids, and creates once for each key', async () => {
      const [one, other] = [await open(), await open()]
      const snippet = must(await one.snippets.create(draft())())
      const changed = must(await other.snippets.update(snippet.id, changes({ code: 'new' }), expectOneOf([snippet]))())
      expect(await one.snippets.get(snippet.id)()).to.deep.equal(right(changed))
      expect(await one.snippets.delete(snippet.id, expectOneOf([snippet]))()).to.deep.equal(left(stale))
      const ids: bigint[] = []
      for (const { snippets } of [other, one, other, one]) ids.push(must(await snippets.create(draft())()).id)
      expect(ids).to.deep.equal(ids.toSorted((a, b) => (a < b ? -1 : 1)))
      const idempotencyKey = { key: 'k', fingerprint: 'f' }
      const results = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const { snippets } = i % 2 === 0 ? one : other
          return [
            must(await snippets.createOnce(draft(), idempotencyKey)()),
            must(await snippets.create(draft())()),
          ] as const
        }),
      )
      expect(results.filter(([{ isReplay }]) => !isReplay)).to.have.length(1)
      expect(new Set(results.flatMap(([{ item }, { id }]) => [item.id, id])).size).to.equal(41)
      expect(await everything(one.snippets)).to.have.length(46)
    })

    it('stores its users once if several processes start at the same time', async () => {
      const people = Array.from({ length: 50 }, (_, i) => ({ id: anId(BigInt(i + 1)), username: `user ${i + 1}` }))
      const storages = await Promise.all(Array.from({ length: 6 }, () => open(people)))
      for (const storage of storages)
        expect(must(await storage.users.page(makeWindow(1, 100))())).to.deep.equal({ count: 50, items: people })
    })

    it('keeps its users when it is opened with other users', async () => {
      await open(users)
      const { users: kept } = await open([{ id: anId(2n), username: 'bob' }])
      expect(must(await kept.page(makeWindow(1, 10))())).to.deep.equal({ count: 1, items: users })
    })
  })

  const { gone, silent, deadPeers } = harness.faults
  const [dead] = deadPeers === 'no connections' ? [] : deadPeers
  for (const fault of [gone[0], silent[0], dead].flatMap(name => name ?? []))
    describe(`Outage contract of ${name}: a storage that opens or closes during "${fault}"`, () => {
      const { data, open } = dataForEach(harness, fault)

      it('applies no write that it reports as unapplied, and works after the fault', async () => {
        await data().break()
        const storage = await open(users)
        const load = portLoad([], [])
        const steps = portSteps(storage, load, missing)
        await Promise.all(portOperations.map(operation => steps[operation]()))
        // new connections work for a while if only the open ones are dead
        if (fault !== dead) expect(load.calls.filter(({ outcome }) => outcome !== 'unapplied')).to.deep.equal([])
        await data().restore()
        const working = ['createOnce', 'users', 'check'] as const
        const since = performance.now()
        await eventually(
          async () => {
            await Promise.all(working.map(operation => steps[operation]()))
            const done = load.calls.filter(({ outcome, startedAt }) => outcome === 'done' && startedAt > since)
            return working.every(operation => done.some(call => call.operation === operation))
          },
          maxRecoveryMs,
          () =>
            load.calls
              .slice(-working.length)
              .map(({ operation, reason }) => `${operation}: ${reason}`)
              .join(),
        )
        await eventually(async () => must(await storage.users.page(makeWindow(1, 10))()).count > 0)
        expect(must(await storage.users.get(anId(1n))())).to.deep.equal(users[0])
        expect(load.unexpected).to.deep.equal([])
        const stored = await everything(storage.snippets)
        for (const violations of Object.values(audit(load.ledger, stored))) expect(violations).to.deep.equal([])
      })

      it('closes within seconds, with a write in progress', async () => {
        const { snippets, close } = await open()
        must(await snippets.create(draft())())
        await data().break()
        const writing = snippets.create(draft())()
        const closing = close().then(() => 'closed')
        expect(await Promise.race([closing, pause(maxCloseMs, 'still open')])).to.equal('closed')
        await writing
        await data().restore()
      })
    })
}

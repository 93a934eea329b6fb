import { setTimeout as pause } from 'node:timers/promises'
import { expectOneOf } from '@snippets/domain/entities/revision.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { stale } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { audit } from '../../support/faults/ledger.js'
import { operations, portLoad, portSteps } from '../../support/faults/port-load.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { dataForEach } from '../../support/storage/open-storage.js'
import { concurrencyContract } from './concurrency.js'
import { creatingOnceContract } from './creating-once.js'
import type { OutageHarness } from './outage-contract.js'
import type { OpenStorage } from './storage-contract.js'
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
    const alternating = { open: () => openTwice(harness) }
    concurrencyContract(alternating)
    creatingOnceContract(alternating)

    it('makes writes visible to other processes, and assigns growing ids', async () => {
      const [one, other] = [await open(), await open()]
      const snippet = must(await one.snippets.create(draft())())
      const changed = must(await other.snippets.update(snippet.id, changes({ code: 'new' }), expectOneOf([snippet]))())
      expect(await one.snippets.get(snippet.id)()).to.deep.equal(right(changed))
      expect(await one.snippets.delete(snippet.id, expectOneOf([snippet]))()).to.deep.equal(left(stale))
      const ids: bigint[] = []
      for (const { snippets } of [other, one, other, one]) ids.push(must(await snippets.create(draft())()).id)
      expect(ids).to.deep.equal(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    })

    it('stores its users once if several processes start at the same time, and keeps them', async () => {
      const people = Array.from({ length: 50 }, (_, i) => ({ id: anId(BigInt(i + 1)), username: `user ${i + 1}` }))
      const storages = await Promise.all(Array.from({ length: 6 }, () => open(people)))
      for (const storage of [...storages, await open([{ id: anId(99n), username: 'bob' }])])
        expect(must(await storage.users.page(makeWindow(1, 100))())).to.deep.equal({ count: 50, items: people })
    })
  })

  const { gone, silent, deadPeers } = harness.faults
  const [dead] = deadPeers === 'no connections' ? [] : deadPeers
  for (const fault of [gone[0], silent[0], dead].flatMap(fault => fault ?? []))
    describe(`Outage contract of ${name}: a storage that opens or closes during "${fault}"`, () => {
      const { data, open } = dataForEach(harness, fault)

      it('applies no write that it reports as unapplied, and works after the fault', async () => {
        await data().break()
        const storage = await open(users)
        const load = portLoad([])
        const steps = portSteps(storage, load, missing)
        await Promise.all(operations.map(operation => steps[operation]()))
        // new connections work for a while if only the open ones are dead
        if (fault !== dead) expect(load.calls.filter(({ outcome }) => outcome !== 'unapplied')).to.deep.equal([])
        await data().restore()
        await eventually(
          async () => {
            const outcomes = [steps.createOnce(), steps.users(), steps.check()]
            return (await Promise.all(outcomes)).every(outcome => outcome === 'done')
          },
          maxRecoveryMs,
          () => `${load.calls.at(-1)?.operation}: ${load.calls.at(-1)?.reason}`,
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

/** Opens new data twice, like two processes, and calls the two storages in turn. */
const openTwice = async ({ faults, create }: OutageHarness): Promise<OpenStorage> => {
  const data = await create(faults.gone[0])
  const storages = [await data.open([]), await data.open([])] as const
  let calls = 0
  const next = (): SnippetStore => storages[calls++ % 2 === 0 ? 0 : 1].snippets
  return {
    snippets: {
      create: draft => next().create(draft),
      createOnce: (draft, idempotencyKey) => next().createOnce(draft, idempotencyKey),
      get: id => next().get(id),
      update: (id, changes, expected) => next().update(id, changes, expected),
      delete: (id, expected) => next().delete(id, expected),
      page: query => next().page(query),
      all: () => next().all(),
    },
    users: storages[0].users,
    close: async () => {
      await Promise.all(storages.map(({ close }) => close()))
      await data.remove()
    },
  }
}

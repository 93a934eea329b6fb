import { setTimeout as pause } from 'node:timers/promises'
import { stale } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs, type SnippetStore } from '@snippets/domain/ports/stores.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId, changes, draft, must, now } from '../../support/snippets.js'
import { closeAll, dataForEach, whenReady } from '../../support/storage/open-storage.js'
import { concurrencyContract } from './concurrency.js'
import { creatingOnceContract } from './creating-once.js'
import type { OutageHarness } from './outage-contract.js'
import { roundMs } from './outage-run.js'
import type { OpenStorage } from './storage-contract.js'

/** Tests storages that several processes may use at the same time. */
export const sharingContract = (name: string, harness: OutageHarness): void => {
  describe(`Outage contract of ${name}: a storage that several processes share`, () => {
    const { open } = dataForEach(harness)
    const alternating = { open: () => openTwice(harness), mayBeBusy: true }
    concurrencyContract(alternating)
    creatingOnceContract(alternating)

    it('makes writes visible to other processes, and assigns growing ids', async () => {
      const [one, other] = [await open(), await open()]
      const snippet = must(await one.snippets.create(draft())())
      const changed = must(
        await other.snippets.update(snippet.id, changes({ code: 'new' }), { oneOf: [snippet] }, now)(),
      )
      expect(await one.snippets.get(snippet.id)()).to.deep.equal(right(changed))
      expect(await one.snippets.delete(snippet.id, { oneOf: [snippet] })()).to.deep.equal(left(stale))
      const ids: bigint[] = []
      for (const { snippets } of [other, one, other, one]) ids.push(must(await snippets.create(draft())()).id)
      expect(ids).to.deep.equal(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    })

    it('stores its users once if several processes start at the same time, and keeps them', async () => {
      const people = Array.from({ length: 50 }, (_, i) => ({ id: anId(BigInt(i + 1)), username: `user ${i + 1}` }))
      const storages = await Promise.all(Array.from({ length: 6 }, () => open(people)))
      for (const storage of [...storages, await open([{ id: anId(99n), username: 'bob' }])])
        expect(must(await storage.users.page(makeWindow(1, 100))())).to.deep.equal({
          count: 50,
          items: people,
          hasMore: false,
        })
    })

    it('stores its first users if earlier starts had none', async () => {
      const ann = { id: anId(1n), username: 'ann' }
      const ben = { id: anId(2n), username: 'ben' }
      await open([])
      for (const users of [[ann], [ben]])
        expect(must(await (await open(users)).users.page(makeWindow(1, 10))()).items).to.deep.equal([ann])
    })
  })

  for (const fault of [harness.faults.gone[0], harness.faults.silent[0]])
    describe(`Outage contract of ${name}: a storage during "${fault}"`, () => {
      const { data, open, openUnprepared } = dataForEach(harness, fault)

      for (const [when, sinceMs] of [
        ['at its beginning', 0],
        ['after writes have failed', maxAnswerMs],
      ] as const)
        it(`closes within seconds ${when}, with a write in progress`, async () => {
          const storage = await open()
          const { snippets } = storage
          must(await snippets.create(draft())())
          await data().break(false)
          for (const end = performance.now() + sinceMs; performance.now() < end; await pause(roundMs))
            await snippets.create(draft())()
          const writing = snippets.create(draft())()
          await closeAll([storage])
          await writing
          await data().restore()
        })

      it('closes within seconds if it has never reached its database', async () => {
        await data().break(false)
        const storage = await openUnprepared()
        expect(await storage.snippets.create(draft())()).to.have.nested.property('left._tag', 'Unavailable')
        await closeAll([storage])
        await data().restore()
      })
    })
}

/** Opens new data twice, like two processes, and calls the two storages in turn. */
const openTwice = async ({ faults, create }: OutageHarness): Promise<OpenStorage> => {
  const data = await create(faults.gone[0])
  const storages = [await data.open([]), await data.open([])] as const
  for (const storage of storages) await whenReady(storage)
  let calls = 0
  const get = (_: SnippetStore, name: string) => Reflect.get(storages[calls++ % 2 === 0 ? 0 : 1].snippets, name)
  return {
    snippets: new Proxy(storages[0].snippets, { get }),
    users: storages[0].users,
    close: () => closeAll(storages).finally(data.remove).then(right),
  }
}

import { keyLifetimeMs, maxKeyLength } from '@snippets/domain/entities/idempotency-key.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { keyReused } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { itOnNewStorage, openForSuite } from '../../support/storage/open-storage.js'
import type { CountingStorage, StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

const many = 20

export const creatingOnceContract = (harness: StorageHarness): void => {
  describe('createOnce()', () => {
    const storage = openForSuite(harness)
    const content = draft()
    const create = (key: string, { fingerprint = 'the same', at = now } = {}) =>
      storage().snippets.createOnce({ ...content, created_at: at }, { key, fingerprint })()

    it('creates a snippet, and replays the result for a day', async () => {
      const first = must(await create('again'))
      expect(first).to.deep.equal({ item: firstVersion(first.item.id, content), isReplay: false })
      const held = await everything(storage().snippets)
      expect(held.at(-1)).to.deep.equal(first.item)
      for (const later of [0, 1, keyLifetimeMs - 1])
        expect(await create('again', { at: now + later })).to.deep.equal(right({ item: first.item, isReplay: true }))
      expect(await everything(storage().snippets)).to.deep.equal(held)
    })

    it('replays the first version and rejects other contents, after an update and after a delete', async () => {
      const { item } = must(await create('written'))
      const writes = [
        async () => void must(await storage().snippets.update(item.id, changes({ title: 'new' }), anyRevision, now)()),
        async () => must(await storage().snippets.delete(item.id, anyRevision)()),
      ]
      for (const write of writes) {
        await write()
        const held = await everything(storage().snippets)
        expect(await create('written')).to.deep.equal(right({ item, isReplay: true }))
        expect(await create('written', { fingerprint: 'another' })).to.deep.equal(left(keyReused))
        expect(await everything(storage().snippets)).to.deep.equal(held)
      }
    })

    it('forgets a key after a day, even if its snippet was deleted', async () => {
      for (const key of ['kept', 'deleted']) {
        const { item } = must(await create(key))
        if (key === 'deleted') must(await storage().snippets.delete(item.id, anyRevision)())
        const later = { fingerprint: 'another', at: now + keyLifetimeMs }
        const again = must(await create(key, later))
        expect(again.isReplay).to.equal(false)
        expect(again.item.id > item.id).to.equal(true)
        expect(await create(key, later)).to.deep.equal(right({ item: again.item, isReplay: true }))
        if (key === 'kept') expect(await storage().snippets.get(item.id)()).to.deep.equal(right(item))
      }
    })

    it('compares keys exactly', async () => {
      const keys = ['k', 'K', 'k ', 'k.k', '$where', '{"$gt":""}', '__proto__', 'x'.repeat(maxKeyLength)]
      const items = []
      for (const key of keys) items.push(must(await create(key)).item)
      expect(new Set(items.map(({ id }) => id)).size).to.equal(keys.length)
      for (const [i, key] of keys.entries()) expect(must(await create(key)).item).to.deep.equal(items[i])
    })

    it('creates once for many concurrent creations with the same key', async () => {
      const before = (await everything(storage().snippets)).length
      const results = await Promise.all(
        Array.from({ length: many }, async (_, i) => {
          const [same, other, plain] = await Promise.all([
            create('at once'),
            create(`at once ${i}`),
            storage().snippets.create(content)(),
          ])
          return { same: must(same), others: [must(other).item, must(plain)] }
        }),
      )
      const created = results.map(({ same }) => same).filter(({ isReplay }) => !isReplay)
      expect(created).to.have.length(1)
      for (const { same } of results) expect(same.item).to.deep.equal(created[0]?.item)
      const ids = results.flatMap(({ same, others }) => [same.item, ...others].map(({ id }) => id))
      expect(new Set(ids).size).to.equal(2 * many + 1)
      expect(await everything(storage().snippets)).to.have.length(before + 2 * many + 1)
    })

    it('keeps the key of the later of two concurrent creations whose clocks are days apart', async () => {
      const later = { at: now + 2 * keyLifetimeMs }
      for (let round = 0; round < many; round++) {
        const key = `days apart ${round}`
        const expired = round % 2 === 0 ? [] : [must(await create(key)).item]
        const [early, late] = await Promise.all([
          create(key),
          create(key, later),
          // these may remove expired keys, but not the key of the later creation
          ...Array.from({ length: 4 }, (_, i) => create(`${key}, other ${i}`, later)),
        ])
        const { item, isReplay } = must(late)
        expect(isReplay).to.equal(false)
        if (must(early).isReplay) expect(must(early).item).to.be.deep.oneOf([...expired, item])
        for (const options of [later, {}])
          expect(await create(key, options)).to.deep.equal(right({ item, isReplay: true }))
      }
    })

    it('accepts exactly one of several contents with the same key', async () => {
      const results = await Promise.all(
        Array.from({ length: many }, (_, i) => create('contested', { fingerprint: `content ${i}` })),
      )
      expect(results.filter(isRight)).to.have.length(1)
      expect(results.filter(result => !isRight(result))).to.deep.equal(Array(many - 1).fill(left(keyReused)))
    })
  })
}

export const keyExpiryContract = (open: () => Promise<CountingStorage>): void => {
  itOnNewStorage(open)(
    'removes the expired keys of deleted snippets, and no others',
    async ({ snippets, countKeys }) => {
      const longAgo = draft({ created_at: now - 3 * keyLifetimeMs })
      const keys = ['a', 'b', 'c']
      for (const key of keys) {
        const { item } = must(await snippets.createOnce(longAgo, { key, fingerprint: 'f' })())
        must(await snippets.delete(item.id, anyRevision)())
      }
      // a creation may remove one key only
      for (const _ of keys) must(await snippets.create(draft())())
      must(await snippets.createOnce(draft(), { key: 'new', fingerprint: 'f' })())
      expect(await countKeys()).to.equal(1)
    },
  )

  itOnNewStorage(open)('keeps the key of a deleted snippet until it expires', async ({ snippets }) => {
    const lastMoment = draft({ created_at: now + keyLifetimeMs - 1 })
    const keyed = { key: 'a', fingerprint: 'f' }
    const { item } = must(await snippets.createOnce(draft(), keyed)())
    must(await snippets.delete(item.id, anyRevision)())
    for (const key of ['b', 'c']) {
      must(await snippets.create(lastMoment)())
      must(await snippets.createOnce(lastMoment, { key, fingerprint: 'f' })())
    }
    expect(await snippets.createOnce(lastMoment, keyed)()).to.deep.equal(right({ item, isReplay: true }))
  })
}

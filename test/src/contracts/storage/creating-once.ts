import { keyReused } from '@snippets/domain/errors.js'
import { keyLifetimeMs, type RetryKey } from '@snippets/domain/retry-key.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { changes, draft, must } from '../../support/snippets.js'
import { openForSuite } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

const many = 20

const retry = (key: string, fingerprint = 'the same'): RetryKey => ({ key, fingerprint })

export const creatingOnceContract = (harness: StorageHarness): void => {
  describe('createOnce', () => {
    const storage = openForSuite(harness)
    const now = Date.now()
    const content = draft({ title: 't', code: 'c', language: 'l', created_at: now })
    const create = (key: RetryKey, at = now) => storage().snippets.createOnce({ ...content, created_at: at }, key)()
    const titles = async () => (await everything(storage().snippets)).map(({ title }) => title)
    let keys = 0
    const newKey = (): string => `key ${keys++}`

    it('creates as create does, and then answers the same again', async () => {
      const key = newKey()
      const first = must(await create(retry(key)))
      expect(first).to.deep.equal({ item: { ...content, id: first.item.id, version: 1 }, isReplay: false })
      expect(await storage().snippets.get(first.item.id)()).to.deep.equal(right(first.item))
      for (const later of [1, 1000, keyLifetimeMs - 1])
        expect(await create(retry(key), now + later)).to.deep.equal(right({ item: first.item, isReplay: true }))
    })

    it('answers with the first version after updates, and leaves them as they are', async () => {
      const key = newKey()
      const { item } = must(await create(retry(key)))
      const updated = must(
        await storage().snippets.update(item.id, changes({ title: 'new', code: 'new' }), anyRevision)(),
      )
      expect(await create(retry(key))).to.deep.equal(right({ item, isReplay: true }))
      expect(await storage().snippets.get(item.id)()).to.deep.equal(right(updated))
    })

    it('answers the same after a delete, and creates nothing', async () => {
      const key = newKey()
      const { item } = must(await create(retry(key)))
      must(await storage().snippets.update(item.id, changes({ title: 'new' }), anyRevision)())
      must(await storage().snippets.delete(item.id, anyRevision)())
      const before = await titles()
      expect(await create(retry(key))).to.deep.equal(right({ item, isReplay: true }))
      expect(await create(retry(key, 'another'))).to.deep.equal(left(keyReused))
      expect(await titles()).to.deep.equal(before)
    })

    it('refuses the key of another content, and creates nothing', async () => {
      const key = newKey()
      must(await create(retry(key)))
      const before = await titles()
      expect(await create(retry(key, 'another'))).to.deep.equal(left(keyReused))
      expect(await titles()).to.deep.equal(before)
    })

    it('forgets a key after a day, also that of a snippet that was deleted', async () => {
      for (const isDeleted of [false, true]) {
        const key = newKey()
        const { item } = must(await create(retry(key)))
        if (isDeleted) must(await storage().snippets.delete(item.id, anyRevision)())
        const again = must(await create(retry(key, 'another'), now + keyLifetimeMs))
        expect(again.isReplay).to.equal(false)
        expect(again.item.id > item.id).to.equal(true)
        expect(await create(retry(key, 'another'), now + keyLifetimeMs)).to.deep.equal(
          right({ item: again.item, isReplay: true }),
        )
        if (!isDeleted) expect(await storage().snippets.get(item.id)()).to.deep.equal(right(item))
      }
    })

    it('takes keys as they are', async () => {
      const odd = [
        'k',
        'K',
        'k ',
        'k.k',
        '$where',
        '{"$gt":""}',
        '__proto__',
        'constructor',
        '*',
        `k${'x'.repeat(319)}`,
      ]
      const ids = []
      for (const key of odd) ids.push(must(await create(retry(key))).item.id)
      expect(new Set(ids).size).to.equal(odd.length)
      for (const [i, key] of odd.entries()) expect(must(await create(retry(key))).item.id).to.equal(ids[i])
    })

    it('creates once when many with the same key come at the same time, among others', async () => {
      const key = newKey()
      const before = (await everything(storage().snippets)).length
      const answers = await Promise.all(
        Array.from({ length: many }, async (_, i) => {
          const [same, other, plain] = await Promise.all([
            create(retry(key)),
            create(retry(`${key} ${i}`)),
            storage().snippets.create(content)(),
          ])
          return { same: must(same), other: must(other), plain: must(plain) }
        }),
      )
      const [first] = answers.filter(({ same }) => !same.isReplay)
      expect(answers.filter(({ same }) => !same.isReplay)).to.have.length(1)
      for (const { same, other } of answers) {
        expect(same.item).to.deep.equal(first?.same.item)
        expect(other.isReplay).to.equal(false)
      }
      const ids = answers.flatMap(({ other, plain }) => [other.item.id, plain.id])
      expect(new Set([...ids, first?.same.item.id]).size).to.equal(2 * many + 1)
      expect(await everything(storage().snippets)).to.have.length(before + 2 * many + 1)
    })

    it('lets exactly one content have the key when several come at the same time', async () => {
      const key = newKey()
      const answers = await Promise.all(Array.from({ length: many }, (_, i) => create(retry(key, `content ${i}`))))
      expect(answers.filter(answer => answer._tag === 'Right')).to.have.length(1)
      expect(answers.filter(answer => answer._tag === 'Left')).to.deep.equal(Array(many - 1).fill(left(keyReused)))
    })
  })
}

import { maxKeyLength } from '@snippets/domain/entities/idempotency-key.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { dataForEach } from '../../support/storage/open-storage.js'
import type { OutageHarness } from './outage-contract.js'
import type { OpenStorage } from './storage-contract.js'
import { everything } from './stream.js'

/** Shorter than the time after which a pool closes idle connections by itself. */
const maxCloseMs = 3000

export const reopeningContract = (name: string, harness: OutageHarness): void => {
  describe(`Outage contract of ${name}: a storage that is reopened`, () => {
    const { data, open, closeAll } = dataForEach(harness)

    it('keeps every snippet, and does not reuse the id of a deleted snippet', async () => {
      const { snippets } = await open()
      for (const title of ['first', 'é 😀 \u2028 \0\u0001\u0002', 'last'])
        must(await snippets.create(draft({ title }))())
      must(await snippets.update(anId(2n), changes({ code: 'new' }), anyRevision, now)())
      must(await snippets.delete(anId(3n), anyRevision)())
      const stored = await everything(snippets)
      await closeAll()
      const again = await open()
      expect(await everything(again.snippets)).to.deep.equal(stored)
      expect(must(await again.snippets.create(draft())()).id > 3n).to.equal(true)
    })

    it('closes every connection to its database', async function () {
      const { snippets } = await open()
      must(await snippets.create(draft())())
      const { connections } = data()
      if (connections === undefined) return this.skip()
      expect(connections()).to.be.above(0)
      await closeAll()
      await eventually(() => connections() === 0, maxCloseMs)
    })

    it('rejects writes as unapplied after it is closed, also when it is closed twice', async () => {
      const { snippets, close } = await open()
      await Promise.all([close(), close()])
      const result = await snippets.create(draft())()
      expect(result).to.have.property('left').that.includes({ _tag: 'Unavailable', outcome: 'unapplied' })
      expect(await everything((await open()).snippets)).to.deep.equal([])
    })

    it('keeps the key of a deleted snippet', async () => {
      const content = draft({ created_at: Date.now() })
      const create = ({ snippets }: OpenStorage, key: string) =>
        snippets.createOnce(content, { key, fingerprint: 'f' })()
      const keys = ['k', 'K', '😀', '\0', 'x'.repeat(maxKeyLength)]
      const items = new Map<string, Snippet>()
      const first = await open()
      for (const key of keys) {
        const { item } = must(await create(first, key))
        items.set(key, item)
        must(await first.snippets.delete(item.id, anyRevision)())
      }
      await closeAll()
      const again = await open()
      for (const key of keys)
        expect(await create(again, key)).to.deep.equal(right({ item: items.get(key), isReplay: true }))
    })
  })
}

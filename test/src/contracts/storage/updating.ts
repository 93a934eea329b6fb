import { anyRevision } from '@snippets/domain/revision.js'
import { contentFieldNames } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { changes, draft, must } from '../../support/snippets.js'
import { openForSuite } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'

export const updatingContract = (harness: StorageHarness): void => {
  describe('update', () => {
    const storage = openForSuite(harness)
    const create = async () => must(await storage().snippets.create(draft({ created_at: 5 }))())

    for (let chosen = 0; chosen < 2 ** contentFieldNames.length; chosen++) {
      const fields = contentFieldNames.filter((_, i) => chosen & (1 << i))
      it(`sets ${fields.join(' and ') || 'no field'}, keeps the rest, and adds 1 to the version`, async () => {
        const before = await create()
        const named = changes(Object.fromEntries(fields.map(field => [field, `new ${field}`])))
        const after = { ...before, ...named, version: 2 }
        expect(await storage().snippets.update(before.id, named, anyRevision)()).to.deep.equal(right(after))
        expect(await storage().snippets.get(before.id)()).to.deep.equal(right(after))
      })
    }

    it('treats a field that is undefined as not named', async () => {
      for (const field of contentFieldNames) {
        const before = await create()
        const after = { ...before, version: 2 }
        const undefinedField = { [field]: undefined }
        expect(await storage().snippets.update(before.id, undefinedField, anyRevision)()).to.deep.equal(right(after))
        expect(await storage().snippets.get(before.id)()).to.deep.equal(right(after))
      }
    })

    it('makes a new version even when the text stays the same', async () => {
      const before = await create()
      const { title, code, language } = before
      const after = { ...before, version: 2 }
      const same = await storage().snippets.update(before.id, { title, code, language }, anyRevision)()
      expect(same).to.deep.equal(right(after))
    })

    it('leaves other snippets alone', async () => {
      const [one, other] = [await create(), await create()]
      must(await storage().snippets.update(one.id, changes({ title: 'new' }), anyRevision)())
      expect(await storage().snippets.get(other.id)()).to.deep.equal(right(other))
    })
  })
}

import { notFound } from '@snippets/domain/errors.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { changes, draft, must } from '../../support/snippets.js'
import { openForSuite } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'

export const deletingContract = (harness: StorageHarness): void => {
  describe('delete', () => {
    const storage = openForSuite(harness)
    const create = async () => must(await storage().snippets.create(draft())())

    it('deletes a snippet once; after that it is NotFound', async () => {
      const { id } = await create()
      expect(await storage().snippets.delete(id, anyRevision)()).to.deep.equal(right(undefined))
      expect(await storage().snippets.delete(id, anyRevision)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.get(id)()).to.deep.equal(left(notFound))
      expect(await storage().snippets.update(id, changes({ title: 'x' }), anyRevision)()).to.deep.equal(left(notFound))
    })

    it('leaves other snippets alone', async () => {
      const [one, other] = [await create(), await create()]
      must(await storage().snippets.delete(one.id, anyRevision)())
      expect(await storage().snippets.get(other.id)()).to.deep.equal(right(other))
    })
  })
}

import { anyRevision, expectOneOf } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { firstPage } from '../../support/queries.js'
import { changes, draft, must } from '../../support/snippets.js'
import type { StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

/** Tests storages whose harness can damage a row. */
export const malformedRowContract = (open: NonNullable<StorageHarness['openCorruptible']>): void => {
  describe('a malformed row', () => {
    let storage: Awaited<ReturnType<typeof open>>
    let [malformed, intact]: Snippet[] = []
    const rows = () => {
      if (malformed === undefined || intact === undefined) throw new Error('there are no rows')
      return { snippets: storage.snippets, id: malformed.id, expected: expectOneOf([malformed]), intact }
    }
    beforeEach(async () => {
      storage = await open()
      malformed = must(await storage.snippets.create(draft())())
      intact = must(await storage.snippets.create(draft())())
      await storage.corrupt(malformed.id)
    })
    afterEach(() => storage?.close())

    it('is Corrupt when it is read or updated', async () => {
      const { snippets, id, expected } = rows()
      const results = [
        await snippets.get(id)(),
        await snippets.update(id, {}, anyRevision)(),
        await snippets.update(id, {}, expected)(),
      ]
      for (const result of results) expect(result).to.have.nested.property('left._tag', 'Corrupt')
    })

    it('is left out of pages and lists, or makes them Corrupt', async () => {
      const { snippets, intact } = rows()
      const results = [await snippets.page(firstPage())()]
      const listed: Snippet[] = []
      for await (const batch of snippets.all()) {
        if (isLeft(batch)) results.push(batch)
        else listed.push(...batch.right)
      }
      for (const result of results) {
        if (isRight(result)) expect(result.right.items).to.deep.equal([intact])
        else expect(result.left._tag).to.equal('Corrupt')
      }
      if (results.length === 1) expect(listed).to.deep.equal([intact])
    })

    it('is removed by a delete, or the delete returns Corrupt', async () => {
      const { snippets, id } = rows()
      const deleted = await snippets.delete(id, anyRevision)()
      if (isRight(deleted)) expect(await snippets.get(id)()).to.deep.equal(left(notFound))
      else expect(deleted.left._tag).to.equal('Corrupt')
    })
  })
}

/** Tests storages whose harness can make the database reject writes. */
export const rejectedWriteContract = (open: NonNullable<StorageHarness['openForbidding']>): void => {
  describe('a write that the database rejects', () => {
    let storage: Awaited<ReturnType<typeof open>>
    before(async () => {
      storage = await open()
    })
    after(() => storage?.close())

    it('is Rejected and writes nothing, and reads work', async () => {
      const { snippets, forbidWrites } = storage
      const snippet = must(await snippets.create(draft())())
      await forbidWrites()
      const results = [
        await snippets.create(draft())(),
        await snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })(),
        await snippets.update(snippet.id, changes({ title: 'new' }), anyRevision)(),
        await snippets.delete(snippet.id, anyRevision)(),
      ]
      for (const result of results) expect(result).to.have.nested.property('left._tag', 'Rejected')
      expect(await snippets.get(snippet.id)()).to.deep.equal(right(snippet))
      expect(await everything(snippets)).to.deep.equal([snippet])
    })
  })
}

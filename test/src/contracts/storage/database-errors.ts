import { inspect } from 'node:util'
import { anyRevision, expectOneOf } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, type StorageError } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { firstPage } from '../../support/queries.js'
import { lastWarnings } from '../../support/service/logs.js'
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
      malformed = must(await storage.snippets.create(secretDraft)())
      intact = must(await storage.snippets.create(draft())())
      await storage.corrupt(malformed.id)
    })
    afterEach(() => storage?.close())

    it('returns Corrupt when it is read or updated, and quotes no text', async () => {
      const { snippets, id, expected } = rows()
      const results = [
        await snippets.get(id)(),
        await snippets.update(id, {}, anyRevision)(),
        await snippets.update(id, {}, expected)(),
      ]
      for (const result of results) expect(result).to.have.nested.property('left._tag', 'Corrupt')
      expectNoQuotes(results)
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
    let snippet: Snippet
    let results: readonly Either<StorageError, unknown>[]
    before(async () => {
      storage = await open()
      const { snippets, forbidWrites } = storage
      snippet = must(await snippets.create(secretDraft)())
      await forbidWrites()
      results = [
        await snippets.create(secretDraft)(),
        await snippets.createOnce(secretDraft, { key: 'k', fingerprint: 'f' })(),
        await snippets.update(snippet.id, changes({ title: secret }), anyRevision)(),
        await snippets.delete(snippet.id, anyRevision)(),
      ]
    })
    after(() => storage?.close())

    it('is Rejected and writes nothing, and reads work', async () => {
      for (const result of results) expect(result).to.have.nested.property('left._tag', 'Rejected')
      expect(await storage.snippets.get(snippet.id)()).to.deep.equal(right(snippet))
      expect(await everything(storage.snippets)).to.deep.equal([snippet])
    })

    it('quotes no text of a snippet in its error and in the log', () => expectNoQuotes(results))
  })
}

/** A text of a snippet that no error and no log line may contain. */
export const secret = 'a text of an author'
const secretDraft = draft({ title: secret, code: secret })

/** Checks the errors, whose causes are logged, and the log of the storage. */
const expectNoQuotes = (errors: readonly unknown[]): void => {
  for (const text of [...errors.map(error => inspect(error, { depth: 9 })), ...lastWarnings()])
    expect(text).to.not.include(secret)
}

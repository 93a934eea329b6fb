import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { idsExhausted, notFound } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { maxId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { itOnNewStorage } from '../../support/storage/open-storage.js'
import type { StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

export const idsContract = (harness: StorageHarness): void => {
  const itOnNew = itOnNewStorage(() => harness.open({}))
  const itFrom = (firstId: bigint) => itOnNewStorage(() => harness.open({ firstId }))
  describe('ids', () => {
    itOnNew('start at 1, grow, and are never reused, even after every snippet is deleted', async ({ snippets }) => {
      const [first, second] = [await create(snippets), await create(snippets)]
      expect(first.id).to.equal(1n)
      expect(second.id > first.id).to.equal(true)
      for (const { id } of [second, first]) must(await snippets.delete(id, anyRevision)())
      expect((await create(snippets)).id > second.id).to.equal(true)
    })

    itOnNew('differ between concurrent creations', async ({ snippets }) => {
      const titles = Array.from({ length: 60 }, (_, i) => `title ${i}`)
      const created = await Promise.all(titles.map(async title => must(await snippets.create(draft({ title }))())))
      expect(created.map(({ title }) => title)).to.deep.equal(titles)
      expect(new Set(created.map(({ id }) => id)).size).to.equal(60)
      expect(await everything(snippets)).to.deep.equal(byId(created))
    })

    itFrom(2n ** 53n)('are exact beyond 2^53', async ({ snippets }) => {
      const first = await create(snippets)
      expect(first.id).to.equal(2n ** 53n)
      const next = anId(2n ** 53n + 1n)
      expect(await snippets.get(next)()).to.deep.equal(left(notFound))
      expect(await snippets.update(next, changes({ title: 'other' }), anyRevision, now)()).to.deep.equal(left(notFound))
      expect(await snippets.delete(next, anyRevision)()).to.deep.equal(left(notFound))
      expect(await snippets.get(first.id)()).to.deep.equal(right(first))
    })

    itFrom(maxId - 1n)('end at 2^63 - 1: later creations are IdsExhausted and write nothing', async ({ snippets }) => {
      const used = { key: 'used', fingerprint: 'f' }
      const { item } = must(await snippets.createOnce(draft(), used)())
      const last = [item, await create(snippets)]
      expect(last.map(({ id }) => id)).to.deep.equal([9223372036854775806n, 9223372036854775807n])
      expect(await snippets.create(draft())()).to.deep.equal(left(idsExhausted))
      const keyed = await snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })()
      expect(keyed).to.deep.equal(left(idsExhausted))
      expect(await snippets.createOnce(draft(), used)()).to.deep.equal(right({ item, isReplay: true }))
      expect(await everything(snippets)).to.deep.equal(last)
      for (const snippet of last) expect(await snippets.get(snippet.id)()).to.deep.equal(right(snippet))

      must(await snippets.delete(anId(maxId), anyRevision)())
      expect(await snippets.create(draft())()).to.deep.equal(left(idsExhausted))
    })

    itFrom(maxId - 2n)('run out for some of many concurrent creations', async ({ snippets }) => {
      const results = await Promise.all(Array.from({ length: 12 }, () => snippets.create(draft())()))
      const created = results.filter(isRight).map(({ right }) => right)
      expect(created.length).to.be.within(1, 3)
      expect(results.filter(result => !isRight(result))).to.deep.equal(
        Array(12 - created.length).fill(left(idsExhausted)),
      )
      expect(await everything(snippets)).to.deep.equal(byId(created))
    })
  })
}

/** Concurrent creations may get their ids in any order. */
const byId = (created: readonly Snippet[]): readonly Snippet[] => created.toSorted((a, b) => (a.id < b.id ? -1 : 1))

const create = async (snippets: SnippetStore) => must(await snippets.create(draft())())

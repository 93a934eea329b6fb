import { idsExhausted, notFound } from '@snippets/domain/errors.js'
import { maxId } from '@snippets/domain/id.js'
import type { Ordering } from '@snippets/domain/ordering.js'
import { windowOf } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { sortedBy } from '../../support/queries.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { withStorage } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

export const idsContract = (harness: StorageHarness): void => {
  describe('ids', () => {
    it(
      'start at 1 and grow',
      withStorage(harness, {}, async ({ snippets }) => {
        const first = await create(snippets)
        const second = await create(snippets)
        const third = await create(snippets)
        expect(first.id).to.equal(1n)
        expect(second.id > first.id).to.equal(true)
        expect(third.id > second.id).to.equal(true)
      }),
    )

    it(
      'are never reused, even after every snippet is deleted',
      withStorage(harness, {}, async ({ snippets }) => {
        const first = await create(snippets)
        const second = await create(snippets)
        must(await snippets.delete(second.id, anyRevision)())
        must(await snippets.delete(first.id, anyRevision)())
        const third = await create(snippets)
        expect(third.id > second.id).to.equal(true)
        expect(await snippets.get(second.id)()).to.deep.equal(left(notFound))
      }),
    )

    it(
      'differ among concurrent creates',
      withStorage(harness, {}, async ({ snippets }) => {
        const titles = Array.from({ length: 60 }, (_, i) => `title ${i}`)
        const created = await Promise.all(titles.map(async title => must(await snippets.create(draft({ title }))())))
        expect(created.map(({ title }) => title)).to.deep.equal(titles)
        expect(new Set(created.map(({ id }) => id)).size).to.equal(60)
        expect(new Set(await everything(snippets))).to.deep.equal(new Set(created))
      }),
    )

    it(
      'are exact where a double is not: 2^53 + 1 never reaches 2^53',
      withStorage(harness, { firstId: 2n ** 53n }, async ({ snippets }) => {
        const first = await create(snippets)
        const next = anId(2n ** 53n + 1n)
        expect(first.id).to.equal(2n ** 53n)
        expect(await snippets.get(next)()).to.deep.equal(left(notFound))
        expect(await snippets.update(next, changes({ title: 'other' }), anyRevision)()).to.deep.equal(left(notFound))
        expect(await snippets.delete(next, anyRevision)()).to.deep.equal(left(notFound))
        expect(await snippets.get(first.id)()).to.deep.equal(right(first))

        const second = await create(snippets)
        expect(second.id > first.id).to.equal(true)
        must(await snippets.update(second.id, changes({ title: 'other' }), anyRevision)())
        expect(await snippets.get(first.id)()).to.deep.equal(right(first))
        must(await snippets.delete(second.id, anyRevision)())
        expect(await everything(snippets)).to.deep.equal([first])
      }),
    )

    it(
      'go up to 2^63 - 1 exactly; after that create is IdsExhausted and writes nothing',
      withStorage(harness, { firstId: maxId - 1n }, async ({ snippets }) => {
        const last = [await create(snippets), await create(snippets)]
        expect(last.map(({ id }) => id)).to.deep.equal([9223372036854775806n, 9223372036854775807n])
        expect(await snippets.create(draft())()).to.deep.equal(left(idsExhausted))
        expect(await snippets.create(draft())()).to.deep.equal(left(idsExhausted))
        expect(await everything(snippets)).to.deep.equal(last)
        for (const snippet of last) expect(await snippets.get(snippet.id)()).to.deep.equal(right(snippet))

        must(await snippets.delete(anId(maxId), anyRevision)())
        expect(await snippets.create(draft())()).to.deep.equal(left(idsExhausted))
      }),
    )

    it(
      'order what is equal in all other fields, also where doubles are equal too',
      withStorage(harness, { firstId: maxId - 60n }, async ({ snippets }) => {
        const created = []
        for (let i = 0; i < 40; i++) created.push((await create(snippets)).id)
        for (const id of created.splice(5, 3)) must(await snippets.delete(id, anyRevision)())
        for (let i = 0; i < 5; i++) created.push((await create(snippets)).id)
        const idsBy = async (ordering: Ordering) => {
          const { items } = must(await snippets.page({ filter: {}, ordering, window: windowOf(1, 50) })())
          return items.map(({ id }) => id)
        }
        const rising = [
          sortedBy(),
          sortedBy('created_at'),
          sortedBy('-created_at', 'title'),
          sortedBy('title', 'created_at'),
        ]
        const falling = [sortedBy('-title'), sortedBy('-created_at'), sortedBy('title', '-created_at')]
        for (const ordering of rising) expect(await idsBy(ordering)).to.deep.equal(created)
        for (const ordering of falling) expect(await idsBy(ordering)).to.deep.equal(created.toReversed())
      }),
    )

    it(
      'run out for the last of many concurrent creates',
      withStorage(harness, { firstId: maxId - 2n }, async ({ snippets }) => {
        const answers = await Promise.all(Array.from({ length: 12 }, () => snippets.create(draft())()))
        const created = answers.filter(isRight).map(({ right }) => right)
        expect(answers.filter(answer => !isRight(answer))).to.deep.equal(
          Array.from({ length: 12 - created.length }, () => left(idsExhausted)),
        )
        expect(created.length).to.be.within(1, 3)
        expect(new Set(await everything(snippets))).to.deep.equal(new Set(created))
      }),
    )
  })
}

const create = async (snippets: SnippetStore) => must(await snippets.create(draft())())

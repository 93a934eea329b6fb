import { type Filter, type SnippetQuery, windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Draft, Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { byId, describeShape, everyShape, firstPage, type QueryShape, sortedBy } from '../../support/queries.js'
import { changes, draft, must } from '../../support/snippets.js'
import { naivePage } from './model.js'
import { openForSuite, withStorage } from './open-storage.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

const empty = right({ count: 0, items: [] })

export const pagesContract = (harness: StorageHarness): void => {
  describe('page', () => {
    let snippets: readonly Snippet[] = []
    const storage = openForSuite(harness, {}, async storage => {
      snippets = await createAll(storage, drafts)
    })

    const expectPage = async (query: SnippetQuery) => {
      expect(await storage().snippets.page(query)()).to.deep.equal(right(naivePage(snippets, query)))
    }

    for (const shape of everyShape) {
      it(`lists ${describeShape(shape)}`, async () => {
        const size = 7
        const query = { filter: filterOf(shape), ordering: shape.ordering }
        const pages = Math.ceil(naivePage(snippets, { ...query, window: windowOf(1, size) }).count / size)
        expect(pages).to.be.greaterThan(0)
        for (let page = 1; page <= pages + 1; page++) await expectPage({ ...query, window: windowOf(page, size) })
      })
    }

    it('ignores a sort key that the filter makes equal', async () => {
      const orderings = [
        sortedBy('-title'),
        sortedBy('-title', 'created_at'),
        sortedBy('title', '-created_at'),
        sortedBy('created_at', '-title'),
        sortedBy('-created_at', 'title'),
      ]
      for (const ordering of orderings) {
        const query = { ordering, window: windowOf(1, 7) }
        await expectPage({ ...query, filter: { title: 'a' } })
        await expectPage({ ...query, filter: { title: 'a', language: 'c' } })
      }
    })

    it('lists what shares a created_at newest first by "-created_at", and the rest of it on the next page', async () => {
      const page = async (number: number) => {
        const query = { filter: {}, ordering: sortedBy('-created_at'), window: windowOf(number, 12) }
        return must(await storage().snippets.page(query)()).items
      }
      const last = snippets.filter(({ created_at }) => created_at === Math.max(...times))
      expect([...(await page(1)), ...(await page(2))].slice(0, last.length)).to.deep.equal(last.toReversed())
      expect(last.length).to.be.above(12)
    })

    it('finds exactly the title that the filter names', async () => {
      for (const title of new Set(titles)) await expectPage(firstPage({ title }))
      for (const title of ['', 'AB', 'a*', '^a', '\ue001', '\ud7ff', 'a\u0000\u0000', '$a', 'a ']) {
        expect(await storage().snippets.page(firstPage({ title }))(), title).to.deep.equal(empty)
      }
    })

    it('finds exactly the language that the filter names', async () => {
      for (const language of new Set(languages)) await expectPage(firstPage({ language }))
      for (const language of ['', '$c', '.c.', 'c.', '😁']) {
        expect(await storage().snippets.page(firstPage({ language }))(), language).to.deep.equal(empty)
      }
    })

    it('has the size that is asked for, from 1 to more than there are', async () => {
      const query = { filter: {}, ordering: sortedBy('-title') }
      for (const page of [1, 2, drafts.length]) await expectPage({ ...query, window: windowOf(page, 1) })
      await expectPage({ ...query, window: windowOf(1, 100) })
    })

    it('is empty past the end, however far, and still counts all matches', async () => {
      for (const page of [14, 1000, 2 ** 31, 2 ** 53 - 1]) {
        await expectPage({ filter: {}, ordering: byId, window: windowOf(page, 100) })
        await expectPage({ filter: { language: 'c' }, ordering: sortedBy('-title'), window: windowOf(page, 100) })
      }
    })

    it(
      'is empty in an empty storage',
      withStorage(harness, {}, async ({ snippets }) => {
        expect(await snippets.page(firstPage())()).to.deep.equal(empty)
        const sorted = { ...firstPage({ language: 'c' }), ordering: sortedBy('-title') }
        expect(await snippets.page(sorted)()).to.deep.equal(empty)
      }),
    )

    it(
      'shows updates and deletes',
      withStorage(harness, {}, async storage => {
        const created = await createAll(storage, drafts.slice(0, 60))
        const kept: Snippet[] = []
        for (const [i, { id }] of created.entries()) {
          if (i % 6 === 0) must(await storage.snippets.delete(id, anyRevision)())
          else kept.push(must(await storage.snippets.update(id, changes(edits[i % edits.length] ?? {}), anyRevision)()))
        }
        for (const shape of everyShape) {
          const query = { filter: filterOf(shape), ordering: shape.ordering, window: windowOf(1, 100) }
          expect(await storage.snippets.page(query)(), describeShape(shape)).to.deep.equal(
            right(naivePage(kept, query)),
          )
        }
      }),
    )
  })
}

export const filterOf = ({ filtered }: QueryShape): Filter => ({
  ...(filtered.includes('language') && { language: 'c' }),
  ...(filtered.includes('title') && { title: 'a' }),
})

// sorted differently by UTF-16 units, collations, case folding or natural sorting
const titles = [
  'a',
  'a',
  'a',
  'B',
  'a\u0000',
  'ab',
  'a b',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
  'é',
  'e\u0301',
  '10',
  '9',
  'ß',
  'A',
]
const languages = ['c', 'c', 'C', '😀', '$c.']
const times = [1_750_000_000_001, 1_750_000_000_000, 1_750_000_000_001, 1_750_000_000_002]

export const drafts: readonly Draft[] = Array.from({ length: 90 }, (_, i) => {
  const pick = <A>(pool: readonly A[]): A => pool[i % pool.length] as A
  return draft({ title: pick(titles), language: pick(languages), created_at: pick(times) })
})

const edits = [{ title: 'a' }, { language: 'c' }, { title: '😀', language: 'C' }, {}, { code: 'new' }]

export const createAll = async ({ snippets }: OpenStorage, drafts: readonly Draft[]): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  for (const draft of drafts) created.push(must(await snippets.create(draft)()))
  return created
}

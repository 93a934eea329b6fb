import { allShapes, type Filter, type Ordering, type Shape, type SnippetQuery } from '@snippets/domain/page.js'
import type { Draft, Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { changes, draft, must } from '../../support/snippets.js'
import { naivePage } from './model.js'
import { openedOnce, withStorage } from './opened.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

// UTF-16 units, collations, case folding and natural sorting would each put some of these in an order of their own
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
const moments = [1_750_000_000_001, 1_750_000_000_000, 1_750_000_000_001, 1_750_000_000_002]

const drafts: readonly Draft[] = Array.from({ length: 90 }, (_, i) => {
  const oneOf = <A>(pool: readonly A[]): A => pool[i % pool.length] as A
  return draft({ title: oneOf(titles), language: oneOf(languages), created_at: oneOf(moments) })
})

const edits = [{ title: 'a' }, { language: 'c' }, { title: '😀', language: 'C' }, {}, { code: 'new' }]

const pageSize = 7

const queryOf = (ordering: Ordering, filter: Filter = {}): SnippetQuery => ({
  filter,
  ordering,
  window: { page: 1, size: pageSize },
})

const titleOf = ({ equal, ordering }: Shape): string => {
  const held = equal.length > 0 ? `of one ${equal.join(' and ')}` : 'of all'
  const order = ordering.map(({ field, direction }) => (direction === 'desc' ? `-${field}` : field))
  return `${held} by ${[...order, 'id'].join(', ')}`
}

const filterOf = ({ equal }: Shape): Filter => ({
  ...(equal.includes('language') && { language: 'c' }),
  ...(equal.includes('title') && { title: 'a' }),
})

const createAll = async ({ snippets }: OpenStorage, some = drafts): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  for (const draft of some) created.push(must(await snippets.create(draft)()))
  return created
}

export const pagesContract = (harness: StorageHarness): void => {
  describe('gives pages', () => {
    let snippets: readonly Snippet[] = []
    const storage = openedOnce(harness, {}, async storage => {
      snippets = await createAll(storage)
    })

    const expectPage = async (query: SnippetQuery) => {
      expect(await storage().snippets.page(query)()).to.deep.equal(right(naivePage(snippets, query)))
    }

    for (const shape of allShapes()) {
      it(titleOf(shape), async () => {
        const query = queryOf(shape.ordering, filterOf(shape))
        const pages = Math.ceil(naivePage(snippets, query).count / pageSize)
        expect(pages).to.be.greaterThan(0)
        for (let page = 1; page <= pages + 1; page++) await expectPage({ ...query, window: { page, size: pageSize } })
      })
    }

    it('where an ordering by what the filter holds equal says nothing', async () => {
      const ordering: Ordering = [
        { field: 'title', direction: 'desc' },
        { field: 'created_at', direction: 'desc' },
      ]
      await expectPage(queryOf(ordering, { title: 'a' }))
      await expectPage(queryOf(ordering, { title: 'a', language: 'c' }))
    })

    it('of exactly the title that is asked for', async () => {
      for (const title of new Set(titles)) await expectPage(queryOf([], { title }))
      for (const title of ['', 'AB', 'a*', '^a', '\ue001', '\ud7ff', 'a\u0000\u0000', '$a', 'a ']) {
        expect(await storage().snippets.page(queryOf([], { title }))(), title).to.deep.equal(
          right({ count: 0, items: [] }),
        )
      }
    })

    it('of exactly the language that is asked for', async () => {
      for (const language of new Set(languages)) await expectPage(queryOf([], { language }))
      for (const language of ['', '$c', '.c.', 'c.', '😁']) {
        expect(await storage().snippets.page(queryOf([], { language }))(), language).to.deep.equal(
          right({ count: 0, items: [] }),
        )
      }
    })

    it('of one snippet, and of more than there are', async () => {
      const ordering: Ordering = [{ field: 'title', direction: 'desc' }]
      for (const page of [1, 2, drafts.length]) await expectPage({ ...queryOf(ordering), window: { page, size: 1 } })
      await expectPage({ ...queryOf(ordering), window: { page: 1, size: 100 } })
    })

    it('without items past the end, however far', async () => {
      for (const page of [14, 1000, 2 ** 31, 2 ** 53 - 1]) {
        for (const [ordering, filter] of [
          [[], {}],
          [[{ field: 'title', direction: 'desc' }], { language: 'c' }],
        ] satisfies readonly (readonly [Ordering, Filter])[]) {
          await expectPage({ filter, ordering, window: { page, size: 100 } })
        }
      }
    })
  })

  describe('gives pages of now', () => {
    it(
      'when there is nothing',
      withStorage(harness, {}, async ({ snippets }) => {
        const nothing = right({ count: 0, items: [] })
        expect(await snippets.page(queryOf([]))()).to.deep.equal(nothing)
        expect(
          await snippets.page(queryOf([{ field: 'title', direction: 'desc' }], { language: 'c' }))(),
        ).to.deep.equal(nothing)
      }),
    )

    it(
      'when some are changed and some deleted',
      withStorage(harness, {}, async storage => {
        const created = await createAll(storage, drafts.slice(0, 60))
        const kept: Snippet[] = []
        for (const [i, { id }] of created.entries()) {
          if (i % 6 === 0) must(await storage.snippets.delete(id, none)())
          else kept.push(must(await storage.snippets.update(id, changes(edits[i % edits.length] ?? {}), none)()))
        }
        for (const shape of allShapes()) {
          const query = { ...queryOf(shape.ordering, filterOf(shape)), window: { page: 1, size: 100 } }
          expect(await storage.snippets.page(query)(), titleOf(shape)).to.deep.equal(right(naivePage(kept, query)))
        }
      }),
    )
  })
}

import type { Draft, Snippet } from '@snippets/domain/entities/snippet.js'
import type { Filter } from '@snippets/domain/queries/filter.js'
import type { OrderingField } from '@snippets/domain/queries/ordering.js'
import { type Listing, makeWindow, type SnippetQuery, sortKeysOf } from '@snippets/domain/queries/page.js'
import type { Position } from '@snippets/domain/queries/position.js'
import { maxId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { aSearch, describeShape, everyShape, firstPage, type QueryShape, sortedBy } from '../../support/queries.js'
import { maxInstant, minInstant } from '../../support/samples.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { naiveMatches, naivePage } from '../../support/storage/model.js'
import { itOnNewStorage, openForSuite } from '../../support/storage/open-storage.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

export const pagesContract = (harness: StorageHarness): void => {
  const itOnNew = itOnNewStorage(() => harness.open({}))
  describe('page()', () => {
    let snippets: readonly Snippet[] = []
    const storage = openForSuite(harness, {}, async storage => {
      snippets = await createAll(storage, drafts)
    })

    const expectPage = async (query: SnippetQuery) => {
      expect(await storage().snippets.page(query)()).to.deep.equal(right(naivePage(snippets, query)))
    }

    for (const shape of everyShape)
      it(`lists ${describeShape(shape)}, by number and from positions, with and without a search`, async () => {
        for (const search of [{}, { search: values.search }]) {
          const listing = { filter: { ...filterOf(shape), ...search }, ordering: shape.ordering }
          const matches = naiveMatches(snippets, listing)
          const pages = Math.ceil(matches.length / 7)
          for (let page = 1; page <= pages + 1; page++) await expectPage({ ...listing, window: makeWindow(page, 7) })
          const sampled = matches.filter((_, i) => i % 30 === 0 || i === matches.length - 1)
          for (const position of [...sampled.map(snippet => positionOf(listing, snippet)), ...unoccupied])
            for (const side of ['after', 'before'] as const)
              await expectPage({ ...listing, window: makeWindow(1000, 7), seek: { side, position } })
        }
      })

    it('ignores a sort key of a filtered field', async () => {
      for (const ordering of [sortedBy('-title'), sortedBy('title', '-created_at'), sortedBy('created_at', '-title')])
        for (const filter of [{ title: 'a' }, { title: 'a', language: 'c' }])
          await expectPage({ filter, ordering, window: makeWindow(1, 7) })
    })

    it('compares filtered texts exactly', async () => {
      for (const title of [...titles, '', 'AB', 'a*', '^a', '\ue001', 'a\u0000\u0000', '$a', 'a '])
        await expectPage(firstPage({ title }))
      for (const language of [...languages, '', '$c', '.c.', '😁']) await expectPage(firstPage({ language }))
    })

    it('has the requested size, up to the number of matches, and is empty past the end', async () => {
      for (const [page, size] of [
        [2, 1],
        [drafts.length, 1],
        [1, 100],
        [14, 100],
        [2 ** 31, 100],
        [2 ** 53 - 1, 100],
      ] as const)
        for (const filter of [{}, { language: 'c' }])
          await expectPage({ filter, ordering: sortedBy('-title'), window: makeWindow(page, size) })
    })

    itOnNew('is empty in an empty storage', async ({ snippets, users }) => {
      const empty = right({ count: 0, items: [], hasMore: false })
      expect(await snippets.page(firstPage())()).to.deep.equal(empty)
      expect(await snippets.page(firstPage({ language: 'c' }))()).to.deep.equal(empty)
      expect(await everything(snippets)).to.deep.equal([])
      expect(await users.page(makeWindow(1, 10))()).to.deep.equal(empty)
    })

    itOnNew('shows creates, updates and deletes, also after an equal query', async storage => {
      const expectPages = async (snippets: readonly Snippet[]): Promise<void> => {
        for (const shape of everyShape)
          for (const [search, seek] of [
            [{}, {}],
            [{}, { seek: fromEnd }],
            [{ search: aSearch('NEW') }, {}],
          ]) {
            const filter = { ...filterOf(shape), ...search }
            const query = { filter, ordering: shape.ordering, window: makeWindow(1, 100), ...seek }
            const page = await storage.snippets.page(query)()
            expect(page, describeShape(shape)).to.deep.equal(right(naivePage(snippets, query)))
          }
      }
      const created = await createAll(storage, drafts.slice(0, 60))
      await expectPages(created)
      const kept: Snippet[] = []
      for (const [i, { id }] of created.entries()) {
        if (i % 6 === 0) must(await storage.snippets.delete(id, anyRevision)())
        else
          kept.push(must(await storage.snippets.update(id, changes(edits[i % edits.length] ?? {}), anyRevision, now)()))
      }
      await expectPages([...kept, ...(await createAll(storage, drafts.slice(60)))])
    })
  })
}

/** Each filter with a value that some drafts match. */
const values: { readonly [F in keyof Filter]-?: NonNullable<Filter[F]> } = {
  language: 'c',
  title: 'a',
  search: aSearch('EVEN third'),
}

const filterOf = ({ filtered }: QueryShape): Filter => Object.fromEntries(filtered.map(name => [name, values[name]]))

/** Returns the position of a snippet in the order of a query. */
const positionOf = (listing: Listing, { id, ...fields }: Snippet): Position => ({
  id,
  ...Object.fromEntries(sortKeysOf(listing).map(({ field }) => [field, fields[field]])),
})

/** The last page of an ascending query. An index for the reverse order serves it. */
const fromEnd = {
  side: 'before',
  position: { id: anId(maxId), created_at: maxInstant, title: '\u{10ffff}'.repeat(100) },
} as const

const unoccupied: readonly (Position & Required<Pick<Position, OrderingField>>)[] = [
  { id: anId(2n ** 63n - 1n), created_at: 0, title: '' },
  { id: anId(45n), created_at: maxInstant, title: '\u{10ffff}'.repeat(100) },
  { id: anId(45n), created_at: 1_750_000_000_001, title: '\ue001' },
  { id: anId(2n ** 53n + 1n), created_at: 1_750_000_000_001, title: 'a' },
  { id: anId(1n), created_at: minInstant, title: '$a' },
]

// sorted differently by UTF-16 units, collations, case folding or natural sorting
const titles = [
  ...'a|a|a|B|a\u0000|a\u0001|a\u0000\u0002|ab|a b|é|e\u0301|10|9|ß|A'.split('|'),
  // both ends of each range that UTF-16 units sort differently than code points
  ...['\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{103ff}', '\u{10400}', '😀', '\u{10ffff}'],
]
const languages = ['c', 'c', 'C', '😀', '$c.']
const times = [1_750_000_000_001, 1_750_000_000_000, 1_750_000_000_001, minInstant, -2, 0, -1, maxInstant]

const drafts: readonly Draft[] = Array.from({ length: 90 }, (_, i) => {
  const pick = <A>(pool: readonly A[]): A => pool[i % pool.length] as A
  const code = `${i % 7 === 0 ? 'odd' : 'Even'} ${i % 3 === 0 ? '' : 'Third'}`
  return draft({ title: pick(titles), code, language: pick(languages), created_at: pick(times) })
})

const edits = [{ title: 'a' }, { language: 'c' }, { title: '😀', language: 'C' }, {}, { code: 'new' }]

export const createAll = async ({ snippets }: OpenStorage, drafts: readonly Draft[]): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  for (const draft of drafts) created.push(must(await snippets.create(draft)()))
  return created
}

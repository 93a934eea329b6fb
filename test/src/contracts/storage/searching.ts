import { overloaded } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { aSearch, byId, firstPage } from '../../support/queries.js'
import { draft, must } from '../../support/snippets.js'
import { itOnNewStorage } from '../../support/storage/open-storage.js'
import { createAll } from './pages.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

/** Tests the matches of a search. `pagesContract` combines searches with filters and orderings. */
export const searchingContract = (harness: StorageHarness): void => {
  const itOnNew = itOnNewStorage(() => harness.open({}))
  describe('page() with a search', () => {
    itOnNew('finds the snippets that have every term in the title or in the code', async storage => {
      const texts = [
        { title: 'Quick sort', code: 'const pivot = items[0]' },
        { title: 'Hello', code: 'print("Hello,  World")\n' },
        { title: 'Sort of merge', code: 'SELECT name FROM items', language: 'quicksand' },
      ]
      await createAll(storage, texts.map(draft))
      for (const [text, titles] of [
        ['SORT', ['Quick sort', 'Sort of merge']],
        ['items', ['Quick sort', 'Sort of merge']],
        ['items sort ick', ['Quick sort']],
        ['"ick s"', ['Quick sort']],
        ['"hello,  world"', ['Hello']],
        ['"hello, world"', []],
        ['sort nowhere', []],
        ['quicksand', []],
        ['"sort const"', []],
      ] as const)
        expect(await titlesOf(storage, text), text).to.deep.equal(titles)
    })

    itOnNew('ignores case by the simple case folding of Unicode, and does not normalise', async storage => {
      await createAll(
        storage,
        [...letters.flat(), 'e\u0301', 'ss'].map(title => draft({ title })),
      )
      for (const alike of letters)
        for (const letter of alike) expect(await titlesOf(storage, letter), letter).to.have.members(alike)
    })

    itOnNew('treats every character of a term literally', async storage => {
      const made = await createAll(
        storage,
        hostile.map((text, i) => draft({ title: `${i}`, code: `<${text}>` })),
      )
      for (const text of hostile) {
        const expected = made.filter(({ code }) => code.includes(text)).map(({ title }) => title)
        expect(await titlesOf(storage, `"${text}"`), JSON.stringify(text)).to.deep.equal(expected)
      }
    })

    itOnNew('finds a long term at the end of a long code', async storage => {
      const term = `${'ab'.repeat(98)}z`
      const code = `${'ab'.repeat(4900)}${term}`
      await createAll(storage, [draft({ title: 'ends', code }), draft({ title: 'ends not', code: code.slice(0, -1) })])
      expect(await titlesOf(storage, term.toUpperCase())).to.deep.equal(['ends'])
    })

    itOnNew('serves each of 1,100 concurrent searches, or rejects it as Overloaded', async ({ snippets }) => {
      must(await snippets.create(draft({ title: 'found' }))())
      const page = snippets.page(firstPage({ search: aSearch('found') }))
      const results = await Promise.all(Array.from({ length: 1100 }, page))
      const found = results.filter(isRight)
      expect(found).to.have.length.above(0)
      for (const { right } of found) expect(right).to.include({ count: 1 })
      const failures = results.filter(isLeft).map(({ left }) => left._tag)
      // a starved database may leave the few searches without an answer that it has begun
      expect(failures.filter(tag => tag !== overloaded._tag)).to.have.length.below(50)
    })
  })
}

const titlesOf = async ({ snippets }: OpenStorage, text: string): Promise<readonly string[]> => {
  const query = { filter: { search: aSearch(text) }, ordering: byId, window: makeWindow(1, 100) }
  const { count, items } = must(await snippets.page(query)())
  expect(count).to.equal(items.length)
  return items.map(({ title }) => title)
}

/** Each list holds the cases of one letter. */
const letters = 'éÉ Жж σΣς kK\u212a åÅ\u212b µμΜ ǆǅǄ ßẞ ﬁ ŉ 𐐀𐐨 İ ı iI'.split(' ').map(word => [...word])

const hostile = [
  ...'. .* ^ $ \\ \\\\ \\d \\Q \\E ( [a-z] [^x] {1,} (?i) (*UTF8) (*COMMIT) ^< >$ a|b ? + * / - # && ~~ %'.split(' '),
  ...[' ', '\n', '\u2028', '\ufeff', '\u0000', '\u0001', 'a\u0000b', "{'$ne':1}", '('.repeat(198), '['.repeat(198)],
]

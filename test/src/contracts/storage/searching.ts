import { type SnippetQuery, windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Draft, Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { byId, describeShape, everyShape, sortedBy } from '../../support/queries.js'
import { aSearch } from '../../support/searches.js'
import { changes, draft, must } from '../../support/snippets.js'
import { naiveMatches, naivePage } from './model.js'
import { openForSuite, withStorage } from './open-storage.js'
import { createAll, filterOf } from './pages.js'
import { positionOf } from './positions.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

const everything = { filter: {}, ordering: byId, window: windowOf(1, 100) } as const

/** The titles of the first hundred that match. */
const titlesOf = async ({ snippets }: OpenStorage, text: string): Promise<readonly string[]> => {
  const { count, items } = must(await snippets.page({ ...everything, filter: { search: aSearch(text) } })())
  expect(count).to.equal(items.length)
  return items.map(({ title }) => title)
}

export const searchingContract = (harness: StorageHarness): void => {
  describe('page with a search', () => {
    describe('of few snippets', () => {
      const storage = openForSuite(harness, {}, async storage => {
        const texts = [
          { title: 'Quick sort', code: 'const pivot = items[0]' },
          { title: 'Merge sort', code: 'return merge(left, right)' },
          { title: 'Hello', code: 'print("Hello,  World")\n' },
          { title: 'Sort of merge', code: 'SELECT name FROM items', language: 'quicksand' },
        ]
        await createAll(storage, texts.map(draft))
      })

      for (const [text, titles] of [
        ['sort', ['Quick sort', 'Merge sort', 'Sort of merge']],
        ['SORT', ['Quick sort', 'Merge sort', 'Sort of merge']],
        ['items', ['Quick sort', 'Sort of merge']],
        ['sort items', ['Quick sort', 'Sort of merge']],
        ['items sort quick', ['Quick sort']],
        ['"merge sort"', ['Merge sort']],
        ['merge sort', ['Merge sort', 'Sort of merge']],
        ['sort sort sort', ['Quick sort', 'Merge sort', 'Sort of merge']],
        ['ick ort', ['Quick sort']],
        ['"ick s"', ['Quick sort']],
        ['"hello,  world"', ['Hello']],
        ['"hello, world"', []],
        ['print("hello,', ['Hello']],
        ['" "', ['Quick sort', 'Merge sort', 'Hello', 'Sort of merge']],
        ['sort nowhere', []],
        ['quicksand', []],
        ['"sort const"', []],
      ] as const)
        it(`finds ${titles.length} by ${JSON.stringify(text)}`, async () => {
          expect(await titlesOf(storage(), text)).to.deep.equal(titles)
        })
    })

    it(
      'ignores the case of letters by the simple case folding of Unicode',
      withStorage(harness, {}, async storage => {
        await createAll(
          storage,
          letters.flatMap(alike => alike.map(title => draft({ title }))),
        )
        for (const alike of letters)
          for (const letter of alike) expect(await titlesOf(storage, letter), letter).to.have.members(alike)
      }),
    )

    it(
      'takes every term as a text, never as a pattern',
      withStorage(harness, {}, async storage => {
        const made = await createAll(
          storage,
          hostile.map((text, i) => draft({ title: `${i}`, code: `<${text}>` })),
        )
        for (const text of hostile) {
          const expected = made.filter(({ code }) => code.includes(text)).map(({ title }) => title)
          expect(await titlesOf(storage, `"${text}"`), text).to.deep.equal(expected)
          expect(expected, text).not.to.have.length(0)
        }
      }),
    )

    it(
      'finds what is at the very end of the longest code, and terms of the maximum length',
      withStorage(harness, {}, async storage => {
        const term = `${'ab'.repeat(98)}z`
        const code = `${'ab'.repeat(4900)}${term}`
        await createAll(storage, [
          draft({ title: 'ends', code }),
          draft({ title: 'ends not', code: code.slice(0, -1) }),
        ])
        expect(await titlesOf(storage, term.toUpperCase())).to.deep.equal(['ends'])
      }),
    )

    it(
      'reflects updates and deletes',
      withStorage(harness, {}, async storage => {
        const [one, two, three] = await createAll(storage, [
          draft({ title: 'one', code: 'needle' }),
          draft({ title: 'two', code: 'hay' }),
          draft({ title: 'three', code: 'a needle' }),
        ])
        expect(await titlesOf(storage, 'needle')).to.deep.equal(['one', 'three'])
        await storage.snippets.update((one as Snippet).id, changes({ code: 'hay' }), anyRevision)()
        await storage.snippets.update((two as Snippet).id, changes({ code: 'NEEDLES' }), anyRevision)()
        await storage.snippets.delete((three as Snippet).id, anyRevision)()
        expect(await titlesOf(storage, 'needle')).to.deep.equal(['two'])
      }),
    )

    describe('of many snippets', () => {
      let snippets: readonly Snippet[] = []
      const storage = openForSuite(harness, {}, async storage => {
        snippets = await createAll(storage, many)
      })
      const size = 4
      const read = async (query: SnippetQuery) => {
        const page = await storage().snippets.page(query)()
        expect(page).to.deep.equal(right(naivePage(snippets, query)))
        return must(page)
      }

      for (const shape of everyShape)
        it(`lists ${describeShape(shape)}, by number and beside positions`, async () => {
          for (const text of ['even', 'EVEN third', 'nowhere']) {
            const listed = { filter: { ...filterOf(shape), search: aSearch(text) }, ordering: shape.ordering }
            const matching = naiveMatches(snippets, listed)
            const pages = Math.ceil(matching.length / size)
            for (let page = 1; page <= pages + 1; page++) await read({ ...listed, window: windowOf(page, size) })
            for (const side of ['after', 'before'] as const)
              for (const snippet of snippets.filter((_, i) => i % 23 === 0)) {
                const position = positionOf(listed, snippet)
                await read({ ...listed, window: windowOf(1, size), seek: { side, position } })
              }
            expect(matching.length > size).to.equal(text !== 'nowhere')
          }
        })

      it('tiles the matches', async () => {
        const listed = { filter: { search: aSearch('third') }, ordering: sortedBy('-title') }
        const items: Snippet[] = []
        for (let page = 1; page <= 20; page++)
          items.push(...(await read({ ...listed, window: windowOf(page, 3) })).items)
        expect(items).to.deep.equal(naiveMatches(snippets, listed))
        expect(items).to.have.length(45)
      })
    })
  })
}

/** Those in a row are one letter in different cases, and none of another row is. */
const letters: readonly (readonly string[])[] = [
  ['é', 'É'],
  ['e\u0301', 'E\u0301'],
  ['Ж', 'ж'],
  ['σ', 'Σ', 'ς'],
  ['k', 'K', '\u212a'],
  ['w', 'W'],
  ['å', 'Å', '\u212b'],
  ['µ', 'μ', 'Μ'],
  ['ǆ', 'ǅ', 'Ǆ'],
  ['ß', 'ẞ'],
  ['ﬁ'],
  ['ŉ'],
  ['𐐀', '𐐨'],
  ['İ'],
  ['ı'],
  ['i', 'I'],
  ['ſt', 'st', 'ST'],
]

const hostile = [
  '.*',
  '.',
  '\\',
  '\\\\',
  '\\d',
  '\\Q',
  '\\E',
  '\u0000',
  'a\u0000b',
  '(',
  '('.repeat(198),
  '['.repeat(198),
  '{1,}',
  '[a-z]',
  '[^x]',
  '(?i)',
  '(*UTF8)',
  '(*COMMIT)',
  '^<',
  '^',
  '>$',
  '$',
  '$ne',
  '{"$ne":1}'.replaceAll('"', "'"),
  'a|b',
  '|',
  '?',
  '+',
  '*',
  '/',
  '-',
  '#',
  '&&',
  '~~',
  '%',
  '_',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '😀',
  '\u{10ffff}',
  '\uffff',
  '\u200d',
]

const many: readonly Draft[] = Array.from({ length: 90 }, (_, i) =>
  draft({
    title: i % 4 === 0 ? 'a' : `title ${(i * 7) % 10}${i % 3 === 0 ? ' Third' : ''}`,
    language: i % 2 === 0 ? 'c' : 'C',
    code: `${i % 5 === 0 ? 'odd' : 'Even'} ${i % 4 === 0 ? 'third' : ''}`,
    created_at: 1_750_000_000_000 + (i % 4),
  }),
)

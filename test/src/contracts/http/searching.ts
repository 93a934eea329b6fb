import { expect } from 'chai'
import { pageOf, problemOf, type ShownPage, type ShownSnippet } from '../../support/http/representations.js'
import { targetOf } from './paging.js'
import { generated, type Workspace } from './workspace.js'

type Page = ShownPage<ShownSnippet>

/** The search parameter. What it finds in all cases is the contract of storages. */
export const searching = ({ client, create, marker }: Workspace): void => {
  const queryOf = (values: Readonly<Record<string, string>>): string => `${generated}?${new URLSearchParams(values)}`
  const read = async (target: string): Promise<Page> => {
    const answer = await client().get(target)
    expect(answer.status, answer.text).to.equal(200)
    return pageOf(answer)
  }
  const found = async (values: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const { count, results } = await read(queryOf({ page_size: '100', ...values }))
    expect(count).to.equal(results.length)
    return results.map(({ title }) => title)
  }

  describe(`GET ${generated} with a search`, () => {
    it('finds every term in title or code, whatever its case, and in nothing else', async () => {
      const language = marker()
      await create({ language, title: 'Quick sort', code: 'Σ = items' })
      await create({ language, title: 'sum', code: 'print("ς of QUICK items")' })
      await create({ language, title: 'none', code: 'quic k' })
      expect(await found({ language, search: 'quick' })).to.deep.equal(['Quick sort', 'sum'])
      expect(await found({ language, search: 'ITEMS σ' })).to.deep.equal(['Quick sort', 'sum'])
      expect(await found({ language, search: 'sort items' })).to.deep.equal(['Quick sort'])
      expect(await found({ language, search: '"quick sort"' })).to.deep.equal(['Quick sort'])
      expect(await found({ language, search: '"items quick"' })).to.deep.equal([])
      expect(await found({ language, search: 'print("' })).to.deep.equal(['sum'])
      expect(await found({ language, search: 'contract' })).to.deep.equal([])
    })

    it('finds a snippet without any filter', async () => {
      const text = marker()
      await create({ code: `first ${text}` })
      await create({ title: 'it', code: `second ${text}` })
      expect(await found({ search: `"second ${text}"` })).to.deep.equal(['it'])
    })

    it('ignores an empty search', async () => {
      const language = marker()
      await create({ language, title: 'one' })
      for (const search of ['', ' ', '\t\n', '""', '"" ""'])
        expect(await found({ language, search }), search).to.deep.equal(['one'])
    })

    for (const text of [
      '.*',
      '^',
      '$',
      '\\',
      '\\d',
      '|',
      'a|b',
      '(',
      '('.repeat(196),
      '[',
      '\u0000',
      '😀',
      '%',
      '+',
      '&',
    ])
      it(`finds the text ${JSON.stringify(text.slice(0, 10))} and takes it for no pattern`, async () => {
        const language = marker()
        await create({ language, title: 'with', code: `x${text}y` })
        await create({ language, title: 'without', code: '1' })
        expect(await found({ language, search: text })).to.deep.equal(['with'])
        expect(await found({ language, search: `"x${text}y"` })).to.deep.equal(['with'])
      })

    it('combines with filters, ordering, pages and cursors, and links keep it', async () => {
      const language = marker()
      for (let i = 0; i < 11; i++) {
        await create({
          language,
          title: `${'cab'[i % 3]}`,
          code: i % 4 === 3 ? 'hay' : `needle ${i % 2 ? 'ODD' : 'even'}`,
        })
      }
      const values = { language, search: '"NEEDLE"  e', ordering: '-title', page_size: '2' }
      const all = await read(queryOf({ ...values, page_size: '100' }))
      expect(all.results.map(({ title }) => title)).to.deep.equal(['c', 'c', 'c', 'b', 'b', 'b', 'a', 'a', 'a'])
      const pages = [await read(queryOf(values))]
      for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
        expect(new URL(next).searchParams.get('search')).to.equal(values.search)
        pages.push(await read(targetOf(next)))
      }
      expect(pages.flatMap(({ results }) => results)).to.deep.equal(all.results)
      for (const [i, { count, results }] of pages.entries()) {
        expect(count).to.equal(9)
        expect((await read(queryOf({ ...values, page: String(i + 1) }))).results).to.deep.equal(results)
      }
      const back = [pages.at(-1)]
      for (let previous = pages.at(-1)?.previous; previous; previous = back.at(-1)?.previous)
        back.push(await read(targetOf(previous)))
      expect(back.toReversed().flatMap(page => page?.results)).to.deep.equal(all.results)
      expect(await found({ language, search: 'odd', title: 'b' })).to.deep.equal(['b'])
    })

    it('answers 400 when the cursor is of another search', async () => {
      const language = marker()
      for (let i = 0; i < 3; i++) await create({ language, code: 'needle hay' })
      const { next } = await read(queryOf({ language, search: 'needle', page_size: '1' }))
      const after = new URL(next ?? '').searchParams.get('after') ?? ''
      const others: readonly Readonly<Record<string, string>>[] = [
        {},
        { search: 'hay' },
        { search: 'needle hay' },
        { search: '"needle hay"' },
      ]
      for (const other of others) {
        const answer = await client().get(queryOf({ language, ...other, after }))
        expect(answer.status).to.equal(400)
        expect(problemOf(answer).errors?.[0]).to.include({ parameter: 'after', code: 'cursor' })
      }
      const { results } = await read(queryOf({ language, search: ' "needle" ', page_size: '2', after }))
      expect(results).to.have.length(2)
    })

    it('serves the longest search with the longest filters, and its links', async () => {
      const [language, title] = ['😀'.repeat(50), '😀'.repeat(100)]
      const values = { language, title, search: '漢'.repeat(200), page: '2' }
      const { previous } = await read(queryOf(values))
      expect((await read(targetOf(previous ?? ''))).results).to.deep.equal([])
    })

    for (const [what, search, code, message] of [
      ['an open double quote', 'one "two', 'search', 'search must close every double quote that it opens'],
      ['nine terms', '1 2 3 4 5 6 7 8 9', 'search', 'search must have at most 8 terms'],
      ['201 characters', 'a'.repeat(201), 'length', 'search must be at most 200 characters'],
      ['201 spaces', ' '.repeat(201), 'length', 'search must be at most 200 characters'],
    ] as const)
      it(`answers 400 to ${what}, and says why`, async () => {
        const answer = await client().get(queryOf({ search }))
        expect(answer.status).to.equal(400)
        expect(problemOf(answer).errors).to.deep.equal([{ parameter: 'search', code, message }])
      })

    for (const [path, error] of [
      ['/api/users/', 'search is not a parameter: this list takes page, page_size'],
      ['/api/snippets/', `search is not a parameter: this list takes no parameters; ${generated} takes search`],
    ])
      it(`is unknown at ${path}`, async () => {
        const answer = await client().get(`${path}?search=a`)
        expect(answer.status).to.equal(400)
        expect(problemOf(answer).errors?.[0]?.message).to.equal(error)
      })
  })
}

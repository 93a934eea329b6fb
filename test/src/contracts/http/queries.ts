import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { filterNames } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import type { ShownSnippet } from '../../support/http/representations.js'
import { namedOrderings } from '../../support/queries.js'
import { idsOf, listTarget, pageReader, targetOf } from './paging.js'
import { errorsOf, generated, type Sandbox } from './sandbox.js'

const parameters = ['page', 'page_size', ...filterNames, 'ordering', 'after', 'before']

/** Texts with patterns, operators and separators of query languages. */
const hostileTexts = ['.*', '\\d', '(', 'a|b', '$ne', '{"$ne":1}', '\u0000', '😀', 'e\u0301', '50%', 'a+b', 'a&b=c']

/** Tests filters, search and ordering of the generated list. The contract of storages covers their results. */
export const queries = (sandbox: Sandbox): void => {
  const { client, create, marker } = sandbox
  const { read, page } = pageReader(sandbox)
  const titlesOf = async (values: Readonly<Record<string, string>>) =>
    (await page({ page_size: '100', ...values })).results.map(({ title }) => title)

  describe(`GET ${generated} with filters`, () => {
    it('matches whole texts, case-sensitively, and combines filters with AND', async () => {
      const [language, title] = [marker(), marker()]
      const both = await create({ language, title })
      const sameLanguage = await create({ language, title: title.toUpperCase() })
      const sameTitle = await create({ language: language.toUpperCase(), title })
      await create({ language: `${language} `, title: `${title}x` })
      const found = async (values: Readonly<Record<string, string>>) => idsOf(await page(values))
      expect(await found({ language })).to.deep.equal([both.id, sameLanguage.id])
      expect(await found({ title })).to.deep.equal([both.id, sameTitle.id])
      expect(await found({ language, title })).to.deep.equal([both.id])
      expect(await found({ language, title: '' })).to.deep.equal([both.id, sameLanguage.id])
      expect(await found({ language: '', title })).to.deep.equal([both.id, sameTitle.id])
      expect(await found({ language: language.slice(0, -1) })).to.deep.equal([])
    })

    it('treats every character literally', async () => {
      const language = marker()
      for (const title of hostileTexts) await create({ language, title })
      for (const title of hostileTexts) expect(await titlesOf({ language, title })).to.deep.equal([title])
    })

    it('decodes + as a space and %2B as a plus sign', async () => {
      const language = marker()
      for (const title of ['a b', 'a+b']) await create({ language, title })
      for (const [written, title] of [
        ['a+b', 'a b'],
        ['a%20b', 'a b'],
        ['a%2Bb', 'a+b'],
      ]) {
        const { results } = await read(`${listTarget({ language })}&title=${written}`)
        expect(results.map(snippet => snippet.title)).to.deep.equal([title])
      }
    })
  })

  describe(`GET ${generated} with a search`, () => {
    it('finds snippets with every term in the title or code, ignoring case', async () => {
      const language = marker()
      await create({ language, title: 'Quick sort', code: 'Σ = items' })
      await create({ language, title: 'sum', code: 'print("ς of QUICK items")' })
      await create({ language, title: 'none', code: 'quic k' })
      expect(await titlesOf({ language, search: 'ITEMS σ' })).to.deep.equal(['Quick sort', 'sum'])
      expect(await titlesOf({ language, search: 'sort items' })).to.deep.equal(['Quick sort'])
      expect(await titlesOf({ language, search: '"items quick"' })).to.deep.equal([])
      expect(await titlesOf({ language, search: 'print("' })).to.deep.equal(['sum'])
      expect(await titlesOf({ language, search: 'contract' })).to.deep.equal([])
      expect(await titlesOf({ language, search: 'quick', title: 'sum' })).to.deep.equal(['sum'])
      for (const search of ['', ' ', '"" ""'])
        expect(await titlesOf({ language, search })).to.deep.equal(['Quick sort', 'sum', 'none'])
    })

    it('works without a filter', async () => {
      const text = marker()
      await create({ code: `first ${text}` })
      await create({ title: 'it', code: `second ${text}` })
      expect(await titlesOf({ search: `"second ${text}"` })).to.deep.equal(['it'])
    })

    it('treats every character literally', async () => {
      const language = marker()
      for (const text of hostileTexts) await create({ language, title: text, code: `<${text}>` })
      for (const text of hostileTexts.filter(text => !text.includes('"')))
        expect(await titlesOf({ language, search: `"<${text}>"` })).to.deep.equal([text])
    })

    it('serves the longest search with the longest filters, and the links of its page', async () => {
      const values = { language: '😀'.repeat(50), title: '😀'.repeat(100), search: '漢'.repeat(200) }
      const { previous } = await page({ ...values, page: '2' })
      expect((await read(targetOf(previous ?? ''))).results).to.deep.equal([])
    })

    it('returns 400 with a reason when the search is too long or malformed', async () => {
      for (const [search, code, message] of [
        ['one "two', 'search', 'search must close every double quote that it opens'],
        ['1 2 3 4 5 6 7 8 9', 'search', 'search must have at most 8 terms'],
        ['a'.repeat(201), 'length', 'search must be at most 200 characters'],
      ] as const) {
        const errors = errorsOf(await client().get(listTarget({ search })))
        expect(errors).to.deep.equal([{ parameter: 'search', code, message }])
      }
    })
  })

  describe(`GET ${generated} with ordering`, () => {
    let language: string
    let created: readonly ShownSnippet[]

    before(async () => {
      language = marker()
      const made: ShownSnippet[] = []
      for (const title of ['b', 'a', 'B', 'c', 'a']) made.push(await create({ language, title }))
      created = made
    })

    for (const ordering of namedOrderings.filter(keys => keys.length > 0).map(String))
      it(`sorts by "${ordering}"`, async () => {
        const { results } = await page({ language, ordering })
        expect(results).to.deep.equal(created.toSorted(compareBy(ordering)))
      })

    for (const ordering of [' ', 'title,', '--title', 'id', 'Title', ' title', 'title,-title', '__proto__'])
      it(`returns 400 for "${ordering}"`, async () => {
        const errors = errorsOf(await client().get(listTarget({ ordering })))
        expect(errors.map(({ parameter, code }) => [parameter, code])).to.deep.equal([['ordering', 'ordering']])
        for (const known of orderingFields) expect(errors[0]?.message).to.include(known)
      })
  })

  it(`GET ${generated} suggests the nearest ordering field`, async () => {
    for (const [ordering, hint] of [
      ['titel', 'titel is not one of these; did you mean title?'],
      ['title,-created', '-created is not one of these; did you mean -created_at?'],
      ['code', 'code is not one of these'],
    ] as const) {
      const [error] = errorsOf(await client().get(listTarget({ ordering })))
      expect(error?.message.split(' for descending; ').at(-1)).to.equal(hint)
    }
  })

  it(`GET ${generated} ignores blank parameters`, async () => {
    const [language, title] = [marker(), marker()]
    const { id } = await create({ language, title })
    const blank = Object.fromEntries(parameters.map(name => [name, '']))
    expect(idsOf(await page({ ...blank, language }))).to.deep.equal([id])
    expect(idsOf(await page({ ...blank, title }))).to.deep.equal([id])
    expect(await page(blank))
      .to.have.property('results')
      .with.length.above(0)
  })

  describe(`GET ${generated} with an unknown or repeated parameter`, () => {
    it('returns 400 with its name, the allowed names and the nearest match', async () => {
      for (const [sent, hint] of [
        ['langauge', '; did you mean language?'],
        ['frobnicate', ''],
      ]) {
        const message = `${sent} is not a parameter: this list takes ${parameters.join(', ')}${hint}`
        const errors = errorsOf(await client().get(`${generated}?${sent}=x`))
        expect(errors).to.deep.equal([{ parameter: sent, code: 'unknown', message }])
      }
    })

    it('returns 400 with the name of a repeated parameter', async () => {
      for (const parameter of parameters) {
        const errors = errorsOf(await client().get(`${generated}?${parameter}=1&${parameter}=1`))
        expect(errors.map(({ parameter, code }) => [parameter, code])).to.deep.equal([[parameter, 'repeated']])
      }
    })
  })
}

/** Compares snippets by the ordering. Times sort as their texts. The id breaks ties in the direction of the last key. */
const compareBy =
  (ordering: string) =>
  (a: ShownSnippet, b: ShownSnippet): number => {
    const keys = ordering.split(',')
    for (const key of keys) {
      const field = orderingFields.find(name => key.endsWith(name)) ?? 'created_at'
      const sign = key.startsWith('-') ? -1 : 1
      if (a[field] !== b[field]) return a[field] < b[field] ? -sign : sign
    }
    return (BigInt(a.id) < BigInt(b.id) ? -1 : 1) * (keys.at(-1)?.startsWith('-') ? -1 : 1)
  }

import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { expect } from 'chai'
import { filterNames } from '../../support/queries.js'
import { idsOf, listTarget, pageReader, targetOf } from './paging.js'
import { errorsOf, generated, type Sandbox } from './sandbox.js'

const parameters = ['page', 'page_size', ...filterNames, 'ordering', 'after', 'before']

/** Tests filters, search and ordering of the generated list. The contract of storages covers their results. */
export const queries = (sandbox: Sandbox): void => {
  const { client, create, marker } = sandbox
  const { read, page } = pageReader(sandbox)

  describe(`GET ${generated} with filters`, () => {
    it('combines filters with AND, and ignores empty ones', async () => {
      const [language, title] = [marker(), marker()]
      const both = await create({ language, title })
      const sameLanguage = await create({ language })
      const sameTitle = await create({ title })
      const found = async (values: Readonly<Record<string, string>>) => idsOf(await page(values))
      expect(await found({ language, title })).to.deep.equal([both.id])
      expect(await found({ language, title: '' })).to.deep.equal([both.id, sameLanguage.id])
      expect(await found({ language: '', title })).to.deep.equal([both.id, sameTitle.id])
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

  it(`GET ${generated} serves the longest search with the longest filters, and the links of its page`, async () => {
    const values = { language: '😀'.repeat(50), title: '😀'.repeat(100), search: '漢'.repeat(200) }
    const { previous } = await page({ ...values, page: '2' })
    expect((await read(targetOf(previous ?? ''))).results).to.deep.equal([])
  })

  it(`GET ${generated} with ordering sorts by titles, by times, or by both`, async () => {
    const language = marker()
    const [b, a, laterA] = [
      await create({ language, title: 'b' }),
      await create({ language, title: 'a' }),
      await create({ language, title: 'a' }),
    ]
    for (const [ordering, sorted] of [
      ['title', [a, laterA, b]],
      ['-created_at', [laterA, a, b]],
      ['-title,created_at', [b, a, laterA]],
    ] as const)
      expect((await page({ language, ordering })).results).to.deep.equal(sorted)
  })

  it(`GET ${generated} returns 400 with the fields for an invalid ordering`, async () => {
    const known = `a comma-separated list of ${orderingFields.join(', ')}, each at most once, with a leading - for descending`
    for (const ordering of ['titel', 'title,-title']) {
      const errors = errorsOf(await client().get(listTarget({ ordering })))
      expect(errors).to.deep.equal([{ parameter: 'ordering', code: 'ordering', message: `ordering must be ${known}` }])
    }
  })

  it(`GET ${generated} returns 400 with the name of an unknown or repeated parameter`, async () => {
    const message = `langauge is not a parameter: this list takes ${parameters.join(', ')}; did you mean language?`
    const unknown = errorsOf(await client().get(`${generated}?langauge=x`))
    expect(unknown).to.deep.equal([{ parameter: 'langauge', code: 'unknown', message }])
    const repeated = errorsOf(await client().get(`${generated}?page=1&page=1`))
    expect(repeated.map(({ parameter, code }) => [parameter, code])).to.deep.equal([['page', 'repeated']])
  })
}

import { expect } from 'chai'
import { pageOf, problemOf, type ShownSnippet } from '../../support/http/representations.js'
import { generated, type Workspace } from './workspace.js'

/** The language and title parameters, and parameters that are unknown or repeated. */
export const filtering = ({ client, create, marker }: Workspace): void => {
  const found = async (filter: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const answer = await client().get(`${generated}?page_size=100&${new URLSearchParams(filter)}`)
    expect(answer.status).to.equal(200)
    const { count, results } = pageOf(answer)
    expect(count).to.equal(results.length)
    return results.map(({ id }) => id)
  }
  const idsOf = (...snippets: readonly ShownSnippet[]) => snippets.map(({ id }) => id)

  describe(`GET ${generated} with filters`, () => {
    it('matches the whole language, case-sensitively', async () => {
      const language = marker()
      const [one, two] = [await create({ language }), await create({ language })]
      await create({ language: `${language} ` })
      await create({ language: ` ${language}` })
      await create({ language: language.toUpperCase() })
      expect(await found({ language })).to.deep.equal(idsOf(one, two))
      expect(await found({ language: language.slice(0, -1) })).to.deep.equal([])
      expect(await found({ language: `${language}.*` })).to.deep.equal([])
    })

    it('matches the whole title, case-sensitively', async () => {
      const title = marker()
      const one = await create({ title })
      await create({ title: `${title}x` })
      await create({ title: title.toUpperCase() })
      expect(await found({ title })).to.deep.equal(idsOf(one))
      expect(await found({ title: title.slice(0, -1) })).to.deep.equal([])
    })

    it('combines language and title with AND', async () => {
      const [language, title] = [marker(), marker()]
      const one = await create({ language, title })
      await create({ language })
      await create({ title })
      expect(await found({ language, title })).to.deep.equal(idsOf(one))
    })

    it('ignores an empty filter', async () => {
      const [language, title] = [marker(), marker()]
      const one = await create({ language, title })
      expect(await found({ language, title: '' })).to.deep.equal(idsOf(one))
      expect(await found({ language: '', title })).to.deep.equal(idsOf(one))
    })

    it('reflects an update', async () => {
      const [before, after] = [marker(), marker()]
      const snippet = await create({ language: before })
      await client().patch(`${generated}${snippet.id}/`, { language: after })
      expect(await found({ language: before })).to.deep.equal([])
      expect(await found({ language: after })).to.deep.equal(idsOf(snippet))
    })

    for (const title of [
      'a b',
      'a+b',
      'a&b=c',
      'a%20b',
      '50%',
      '.*',
      '^a',
      '$ne',
      '{"$ne":1}',
      'é',
      'e\u0301',
      '😀',
      '\u0000',
      ' ',
      '"',
      'a\\b',
    ])
      it(`matches only the exact title ${JSON.stringify(title)}`, async () => {
        const language = marker()
        const one = await create({ language, title })
        await create({ language, title: `${title}x` })
        await create({ language, title: 'ab' })
        expect(await found({ language, title })).to.deep.equal(idsOf(one))
      })

    it('decodes + as a space and %2B as a plus sign', async () => {
      const language = marker()
      const [space, plus] = [await create({ language, title: 'a b' }), await create({ language, title: 'a+b' })]
      const ask = async (title: string) =>
        pageOf(await client().get(`${generated}?title=${title}&language=${encodeURIComponent(language)}`)).results
      expect(idsOf(...(await ask('a+b')))).to.deep.equal(idsOf(space))
      expect(idsOf(...(await ask('a%20b')))).to.deep.equal(idsOf(space))
      expect(idsOf(...(await ask('a%2Bb')))).to.deep.equal(idsOf(plus))
    })

    it('combines with ordering and paging', async () => {
      const language = marker()
      const [b, a, c] = [
        await create({ language, title: 'b' }),
        await create({ language, title: 'a' }),
        await create({ language, title: 'c' }),
      ]
      const query = { language, ordering: '-title', page_size: '2' }
      const page = pageOf(await client().get(`${generated}?${new URLSearchParams(query)}`))
      expect(page.count).to.equal(3)
      expect(idsOf(...page.results)).to.deep.equal(idsOf(c, b))
      const next = pageOf(await client().get(`${generated}?${new URLSearchParams({ ...query, page: '2' })}`))
      expect(idsOf(...next.results)).to.deep.equal(idsOf(a))
    })
  })

  describe(`GET ${generated} with an unknown or repeated parameter`, () => {
    const errorsFor = async (query: string) => {
      const answer = await client().get(`${generated}?${query}`)
      expect(answer.status).to.equal(400)
      return problemOf(answer).errors ?? []
    }

    it('names it and the allowed parameters', async () => {
      const [error] = await errorsFor('code=x')
      expect(error?.parameter).to.equal('code')
      for (const known of ['page', 'page_size', 'language', 'title', 'ordering'])
        expect(error?.message).to.include(known)
    })

    for (const [typo, meant] of [
      ['langauge', 'language'],
      ['Language', 'language'],
      ['lang', 'language'],
      ['tittle', 'title'],
      ['titles', 'title'],
      ['order', 'ordering'],
      ['order_by', 'ordering'],
      ['orderin', 'ordering'],
      ['pagesize', 'page_size'],
      ['page-size', 'page_size'],
      ['pages', 'page'],
    ])
      it(`suggests ${meant} for ${typo}`, async () => {
        const [error] = await errorsFor(`${typo}=x`)
        expect(error?.parameter).to.equal(typo)
        expect(error?.message).to.include(`did you mean ${meant}?`)
      })

    it('suggests nothing for a name that resembles none', async () => {
      const [error] = await errorsFor('frobnicate=x')
      expect(error?.message).not.to.include('did you mean')
    })

    for (const parameter of ['page', 'page_size', 'language', 'title', 'ordering'])
      it(`names ${parameter} when it is repeated`, async () => {
        const value = parameter === 'ordering' ? 'title' : '1'
        const errors = await errorsFor(`${parameter}=${value}&${parameter}=${value}`)
        expect(errors.map(error => error.parameter)).to.deep.equal([parameter])
      })
  })
}

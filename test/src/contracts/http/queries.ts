import { filterFields } from '@snippets/domain/queries/filter.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { expect } from 'chai'
import { idsOf, listTarget, pageReader, targetOf } from './paging.js'
import { errorsOf, explicit, generated, type Sandbox } from './sandbox.js'

const listParameters = ['page', 'page_size', ...filterFields, 'search', 'ordering', 'after', 'before']

/** Tests filters, search and ordering of the generated list. The contract of storages covers their results. */
export const queries = (sandbox: Sandbox): void => {
  const { client, create, marker } = sandbox
  const { read, page } = pageReader(sandbox)

  describe(`GET ${generated}`, () => {
    it('combines filters and search with AND, and ignores empty ones', async () => {
      const [language, title] = [marker(), marker()]
      const both = await create({ language, title, code: 'needle' })
      const sameLanguage = await create({ language })
      const sameTitle = await create({ title })
      for (const [values, found] of [
        [{ language, title, search: '' }, [both]],
        [{ language, title: '' }, [both, sameLanguage]],
        [{ language: '', title }, [both, sameTitle]],
        [{ language, search: 'NEEDLE' }, [both]],
        [{ language, search: 'needle nowhere' }, []],
      ] as const)
        expect((await page(values)).results).to.deep.equal(found)
    })

    it('decodes + as a space and %2B as a plus sign', async () => {
      const language = marker()
      const [space, plus] = [await create({ language, title: 'a b' }), await create({ language, title: 'a+b' })]
      for (const [written, { id }] of [
        ['a+b', space],
        ['a%20b', space],
        ['a%2Bb', plus],
      ] as const)
        expect(idsOf(await read(`${listTarget({ language })}&title=${written}`))).to.deep.equal([id])
    })

    it('serves the longest search with the longest filters, and the links of its page', async () => {
      const values = { language: '😀'.repeat(50), title: '😀'.repeat(100), search: '漢'.repeat(200) }
      const { previous } = await page({ ...values, page: '2' })
      expect((await read(targetOf(previous ?? ''))).results).to.deep.equal([])
    })

    it('sorts by titles, by times, or by both', async () => {
      const language = marker()
      const b = await create({ language, title: 'b' })
      const [a, laterA] = [await create({ language, title: 'a' }), await create({ language, title: 'a' })]
      for (const [ordering, sorted] of [
        ['title', [a, laterA, b]],
        ['-created_at', [laterA, a, b]],
        ['-title,created_at', [b, a, laterA]],
      ] as const)
        expect((await page({ language, ordering })).results).to.deep.equal(sorted)
    })

    it('returns 400 for an invalid ordering, and for an unknown or repeated parameter, and names what is known', async () => {
      const fields = `a comma-separated list of ${orderingFields.join(', ')}, each at most once, with a leading - for descending`
      const unknown = `langauge is not a parameter: this list takes ${listParameters.join(', ')}; did you mean language?`
      const none = `langauge is not a parameter: this list takes no parameters; ${generated} takes ${listParameters.join(', ')}`
      const nameless = `an empty name is not a parameter: this list takes ${listParameters.join(', ')}`
      for (const [target, parameter, code, message] of [
        [`${generated}?ordering=titel`, 'ordering', 'ordering', `ordering must be ${fields}`],
        [`${generated}?ordering=title,-title`, 'ordering', 'ordering', `ordering must be ${fields}`],
        [`${explicit}?langauge=x`, 'langauge', 'unknown', none],
        [`${generated}?langauge=x`, 'langauge', 'unknown', unknown],
        [`${generated}?=x`, '', 'unknown', nameless],
        [`${generated}?page=1&page=1`, 'page', 'repeated', 'page must appear at most once'],
      ] as const)
        expect(errorsOf(await client().get(target))).to.deep.equal([{ parameter, code, message }])
    })
  })
}

import { expect } from 'chai'
import { idsOf, listTarget, pageReader, targetOf } from './paging.js'
import { errorsOf, generated, type Sandbox } from './sandbox.js'

type Values = Readonly<Record<string, string>>
type Side = 'after' | 'before'

/** Tests the cursors in the links of a page. */
export const links = (sandbox: Sandbox): void => {
  const { client, create, marker } = sandbox
  const { read, page } = pageReader(sandbox)

  const cursorIn = async (values: Values, side: Side): Promise<string> => {
    const link = side === 'after' ? 'next' : 'previous'
    return new URL((await page(values))[link] ?? '').searchParams.get(side) ?? ''
  }

  describe('A cursor', () => {
    let [language, title] = ['', '']
    before(async () => {
      ;[language, title] = [marker(), marker()]
      for (let i = 0; i < 9; i++)
        await create({ language, title: i % 3 === 0 ? `${title}${i % 2}` : title, code: `needle ${i === 4 || 'hay'}` })
    })

    for (const extra of [{ ordering: '-title,created_at' }, { ordering: 'created_at,-title', search: '"NEEDLE"  hay' }])
      it(`pages forwards and backwards like page numbers with ${JSON.stringify(extra)}`, async () => {
        const values = { ...extra, page_size: '2', language }
        const { count, results } = await page({ ...values, page_size: '100' })
        const pages = [await page(values)]
        for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
          expect(new URL(next).searchParams.get('page')).to.equal(String(pages.length + 1))
          pages.push(await read(targetOf(next)))
        }
        expect(pages)
          .to.have.length(Math.ceil(results.length / 2))
          .above(3)
        expect(pages.flatMap(found => found.results)).to.deep.equal(results)
        expect(pages[0]?.previous).to.equal(null)
        for (const [i, found] of pages.entries()) {
          expect(found.count).to.equal(count)
          expect((await page({ ...values, page: `${i + 1}` })).results).to.deep.equal(found.results)
        }
        for (let at = pages.length - 1; at > 0; at--)
          expect((await read(targetOf(pages[at]?.previous ?? ''))).results).to.deep.equal(pages[at - 1]?.results)
      })

    it('leads to a page with links to its neighbours, even if no snippet is left on it', async () => {
      const language = marker()
      const ids: string[] = []
      for (let i = 0; i < 6; i++) ids.push((await create({ language })).id)
      const values = { language, page_size: '3' }
      const [after, before] = [await cursorIn(values, 'after'), await cursorIn({ ...values, page: '2' }, 'before')]
      const [first, second] = [ids.slice(0, 3), ids.slice(3)]
      for (const id of second) await client().delete(`${generated}${id}/`)
      const past = await page({ ...values, page: '2', after })
      expect(past).to.deep.include({ count: 3, next: null, results: [] })
      expect(idsOf(await read(targetOf(past.previous ?? '')))).to.deep.equal(first)
      for (const id of first) await client().delete(`${generated}${id}/`)
      const late = await create({ language })
      const none = await page({ ...values, page: '7', before })
      expect(none).to.deep.include({ count: 1, previous: null, results: [] })
      expect(idsOf(await read(targetOf(none.next ?? '')))).to.deep.equal([late.id])
    })

    it('is rejected with 400 beside another filter, search, ordering or cursor, and when it is altered', async () => {
      const values = { language, search: 'needle' }
      const middle = { ...values, page: '2', page_size: '3' }
      const [after, before] = [await cursorIn(middle, 'after'), await cursorIn(middle, 'before')]
      const rejected: readonly Values[] = [
        { after, search: 'needle' },
        { before, ...values, language: title },
        { after, ...values, search: '"needle hay"' },
        { before, ...values, ordering: 'title' },
        { after: after.slice(0, -1), ...values },
        { after, before, ...values },
      ]
      for (const query of rejected)
        expect(errorsOf(await client().get(listTarget(query))).map(({ code }) => code)).to.deep.equal(['cursor'])
      // neither the spelling of the search nor the order of the parameters matters
      await page({ after, page_size: '2', search: ' "needle" ', language })
    })
  })
}

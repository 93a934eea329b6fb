import { expect } from 'chai'
import type { ShownSnippet } from '../../support/http/representations.js'
import { idsOf, listTarget, pageReader, targetOf } from './paging.js'
import { errorsOf, generated, type Sandbox } from './sandbox.js'

type Values = Readonly<Record<string, string>>
type Side = 'after' | 'before'

/** Tests the cursors in the links of a page. */
export const links = (sandbox: Sandbox): void => {
  const { client, create, marker } = sandbox
  const { read, page, follow } = pageReader(sandbox)

  describe('A cursor', () => {
    let language: string
    let title: string

    before(async () => {
      ;[language, title] = [marker(), marker()]
      for (let i = 0; i < 9; i++)
        await create({ language, title: i % 3 === 0 ? `${title}${i % 2}` : title, code: `needle ${i === 4 || 'hay'}` })
    })

    const cursorIn = async (values: Values, side: Side): Promise<string> => {
      const { next, previous } = await page({ page: '2', page_size: '3', ...values })
      return new URL((side === 'after' ? next : previous) ?? '').searchParams.get(side) ?? ''
    }

    for (const extra of [{ ordering: '-title,created_at' }, { ordering: 'created_at,-title', search: '"NEEDLE"  hay' }])
      it(`pages forwards and backwards like page numbers with ${JSON.stringify(extra)}`, async () => {
        const values = { ...extra, page_size: '2', language }
        const all = await page({ ...values, page_size: '100' })
        const forth = await follow(await page(values), 'next')
        expect(forth.map(({ results }) => results.length)).not.to.include(0)
        expect(forth)
          .to.have.length(Math.ceil(all.count / 2))
          .above(1)
        expect(forth.flatMap(({ results }) => results)).to.deep.equal(all.results)
        for (const [i, { count, next }] of forth.entries()) {
          expect(count).to.equal(all.count)
          if (next !== null) expect(new URL(next).searchParams.get('page')).to.equal(String(i + 2))
        }
        const back = await follow(forth.at(-1) ?? all, 'previous')
        expect(back.map(({ results }) => results)).to.deep.equal(forth.map(({ results }) => results).toReversed())
      })

    it('leads to a page with links to its neighbours, even if no snippet is left on it', async () => {
      const language = marker()
      const made: ShownSnippet[] = []
      for (let i = 0; i < 6; i++) made.push(await create({ language }))
      const deleteAll = async (snippets: readonly ShownSnippet[]) => {
        for (const { id } of snippets) await client().delete(`${generated}${id}/`)
      }
      const values = { language, page_size: '3' }
      const [before, after] = [await cursorIn(values, 'before'), await cursorIn({ ...values, page: '1' }, 'after')]
      await deleteAll(made.slice(3))
      const past = await page({ ...values, page: '2', after })
      expect(past).to.deep.include({ count: 3, next: null, results: [] })
      expect((await read(targetOf(past.previous ?? ''))).results).to.deep.equal(made.slice(0, 3))
      await deleteAll(made.slice(0, 3))
      const late = await create({ language })
      const none = await page({ ...values, page: '7', before })
      expect(none).to.deep.include({ count: 1, previous: null, results: [] })
      expect(idsOf(await read(targetOf(none.next ?? '')))).to.deep.equal([late.id])
    })

    const expectRejected = async (values: Values, parameter: Side) => {
      const errors = errorsOf(await client().get(listTarget(values)))
      expect(errors.map(({ parameter, code }) => ({ parameter, code }))).to.deep.equal([{ parameter, code: 'cursor' }])
    }

    it('is rejected with 400 beside other filters, another search or another ordering, altered or with another', async () => {
      const values = { language, search: 'needle' }
      const [after, before] = [await cursorIn(values, 'after'), await cursorIn(values, 'before')]
      for (const other of [
        { search: 'needle' },
        { ...values, language: title },
        { ...values, search: '"needle hay"' },
        { ...values, ordering: 'title' },
      ]) {
        await expectRejected({ ...other, after }, 'after')
        await expectRejected({ ...other, before }, 'before')
      }
      await expectRejected({ ...values, after: after.slice(0, -1) }, 'after')
      await expectRejected({ ...values, after, before }, 'before')
      // neither the spelling of the search nor the order of the parameters matters
      await page({ after, page_size: '2', search: ' "needle" ', language })
    })
  })
}

import { expect } from 'chai'
import { pageOf, problemOf, type ShownPage, type ShownSnippet } from '../../support/http/representations.js'
import { targetOf } from './paging.js'
import { generated, type Workspace } from './workspace.js'

type Page = ShownPage<ShownSnippet>

const orderings = ['', 'title', '-title', 'created_at', '-created_at', 'title,-created_at', '-created_at,title']
const filters = ['language', 'title', 'language and title'] as const

/** The `after` and `before` of the links of a page. */
export const cursors = ({ client, create, marker }: Workspace): void => {
  describe(`GET ${generated} at a cursor`, () => {
    let language: string
    let title: string
    let other: string

    before(async () => {
      ;[language, title, other] = [marker(), marker(), marker()]
      for (let i = 0; i < 17; i++) await create({ language, title: i % 4 === 0 ? `${title}${i % 3}` : title })
    })

    const queryOf = (values: Readonly<Record<string, string>>): string => `${generated}?${new URLSearchParams(values)}`
    const read = async (target: string): Promise<Page> => {
      const answer = await client().get(target)
      expect(answer.status, answer.text).to.equal(200)
      return pageOf(answer)
    }
    const cursorIn = async (values: Readonly<Record<string, string>>, side: 'after' | 'before'): Promise<string> => {
      const { next, previous } = await read(queryOf({ page: '2', page_size: '3', ...values }))
      return new URL((side === 'after' ? next : previous) ?? '').searchParams.get(side) ?? ''
    }
    const idsOf = ({ results }: Page) => results.map(({ id }) => id)

    for (const ordering of orderings)
      for (const filtered of filters)
        it(`shows by links what it shows by number, of one ${filtered} by ${ordering || 'id'}`, async () => {
          const values = {
            page_size: '3',
            ...(filtered.includes('language') && { language }),
            ...(filtered.includes('title') && { title }),
            ...(ordering && { ordering }),
          }
          const pages = [await read(queryOf(values))]
          for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
            expect(new URL(next).searchParams.get('page')).to.equal(String(pages.length + 1))
            pages.push(await read(targetOf(next)))
          }
          expect(pages).to.have.length(filtered === 'language' ? 6 : 4)
          for (const [i, { results, count }] of pages.entries()) {
            const numbered = await read(queryOf({ ...values, page: String(i + 1) }))
            expect({ results, count }).to.deep.equal({ results: numbered.results, count: numbered.count })
          }
          const back = [pages.at(-1)]
          for (let { previous } = pages.at(-1) ?? {}; previous; previous = back.at(-1)?.previous)
            back.push(await read(targetOf(previous)))
          expect(back.toReversed().map(page => page?.results)).to.deep.equal(pages.map(page => page.results))
          expect(back.toReversed().map(page => page?.previous === null)).to.deep.equal(pages.map((_, i) => i === 0))
        })

    it('keeps its place while others create, delete and change snippets', async () => {
      for (const ordering of orderings) {
        const [language, title] = [marker(), marker()]
        const made: ShownSnippet[] = []
        for (let i = 0; i < 13; i++) made.push(await create({ language, title: `${title}${i % 4}` }))
        const gone = new Set<string>()
        const walk = async (from: string) => {
          const seen: string[] = []
          for (let target: string | null = from; target !== null; ) {
            const page: Page = await read(targetOf(target))
            seen.push(...page.results.map(({ id }) => id))
            await create({ language, title: `${title}${seen.length % 4}` })
            const [first, ...others] = page.results.filter(({ id }) => made.some(mine => mine.id === id))
            if (first !== undefined && others.length > 0) {
              gone.add(first.id)
              await client().delete(`${generated}${first.id}/`)
              await client().patch(`${generated}${others.at(-1)?.id}/`, { code: 'other code' })
            }
            target = page.next
          }
          return seen
        }
        const start = await client().get(queryOf({ language, page_size: '3', ...(ordering && { ordering }) }))
        const first = pageOf(start)
        const onward = [...first.results.map(({ id }) => id), ...(await walk(first.next ?? ''))]
        const staying = made.filter(({ id }) => !gone.has(id)).map(({ id }) => id)
        expect(onward.filter(id => staying.includes(id)).toSorted()).to.deep.equal(staying.toSorted())
        expect(new Set(onward).size).to.equal(onward.length)
      }
    })

    it('goes on where a snippet was that has been deleted or renamed since', async () => {
      for (const change of ['delete', 'rename'] as const)
        for (const side of ['after', 'before'] as const) {
          const [language, title] = [marker(), marker()]
          const made: ShownSnippet[] = []
          for (let i = 0; i < 9; i++) made.push(await create({ language, title: `${title}${i}` }))
          const values = { language, ordering: 'title' }
          const cursor = await cursorIn(values, side)
          const at = made[side === 'after' ? 5 : 3]
          if (change === 'delete') await client().delete(`${generated}${at?.id}/`)
          else await client().patch(`${generated}${at?.id}/`, { title: `${title}z` })
          const { results } = await read(queryOf({ ...values, page_size: '2', [side]: cursor }))
          const expected = side === 'after' ? made.slice(6, 8) : made.slice(1, 3)
          expect(results).to.deep.equal(expected)
        }
    })

    it('leads out of an empty page', async () => {
      const language = marker()
      const made: ShownSnippet[] = []
      for (let i = 0; i < 6; i++) made.push(await create({ language }))
      const [before, after] = [await cursorIn({ language }, 'before'), await cursorIn({ language, page: '1' }, 'after')]
      for (const { id } of made.slice(3)) await client().delete(`${generated}${id}/`)
      const past = await read(queryOf({ language, page_size: '3', page: '2', after }))
      expect(past).to.include({ count: 3, next: null })
      expect(idsOf(past)).to.deep.equal([])
      expect(idsOf(await read(targetOf(past.previous ?? '')))).to.deep.equal(made.slice(0, 3).map(({ id }) => id))
      for (const { id } of made.slice(0, 3)) await client().delete(`${generated}${id}/`)
      const late = await create({ language })
      const none = await read(queryOf({ language, page_size: '3', page: '7', before }))
      expect(none).to.include({ count: 1, previous: null })
      expect(idsOf(none)).to.deep.equal([])
      expect(idsOf(await read(targetOf(none.next ?? '')))).to.deep.equal([late.id])
    })

    it('works with another page_size and without page', async () => {
      const after = await cursorIn({ language }, 'after')
      const page = await read(queryOf({ language, page_size: '5', after }))
      const all = await read(queryOf({ language, page_size: '100' }))
      expect(page.results).to.deep.equal(all.results.slice(6, 11))
      expect(new URL(page.next ?? '').searchParams.get('page')).to.equal('2')
    })

    it('answers 400 when the cursor is of another query', async () => {
      for (const side of ['after', 'before'] as const) {
        const cursor = await cursorIn({ language }, side)
        for (const values of [
          {},
          { language: other },
          { language, title },
          { title: language },
          { language, ordering: 'title' },
          { language, ordering: '-created_at' },
        ]) {
          const answer = await client().get(queryOf({ ...values, [side]: cursor }))
          expect(answer.status).to.equal(400)
          expect(problemOf(answer).errors).to.have.length(1)
          expect(problemOf(answer).errors?.[0]).to.include({ parameter: side, code: 'cursor' })
        }
      }
    })

    it('answers 400 when the cursor was altered', async () => {
      const cursor = await cursorIn({ language, ordering: 'title' }, 'after')
      for (const altered of [
        ...Array.from(
          cursor,
          (character, i) => cursor.slice(0, i) + (character === 'A' ? 'B' : 'A') + cursor.slice(i + 1),
        ),
        cursor.slice(1),
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        `${cursor}${cursor}`,
        '',
      ]) {
        const answer = await client().get(queryOf({ language, ordering: 'title', after: altered }))
        expect(answer.status, altered).to.equal(400)
        expect(problemOf(answer).errors?.[0]).to.include({ parameter: 'after', code: 'cursor' })
      }
    })

    it('answers 400 to two cursors', async () => {
      const [after, before] = [await cursorIn({ language }, 'after'), await cursorIn({ language }, 'before')]
      const answer = await client().get(queryOf({ language, after, before }))
      expect(answer.status).to.equal(400)
      expect(problemOf(answer).errors?.[0]).to.include({ parameter: 'before', code: 'cursor' })
    })
  })
}

import { expect } from 'chai'
import { pageOf, type ShownPage, type ShownSnippet } from '../../support/http/representations.js'
import { generated, type Sandbox } from './sandbox.js'

type Page = ShownPage<ShownSnippet>

/** Returns the path and query of a link. Its origin may be a public URL that is unreachable from here. */
export const targetOf = (link: string): string => {
  const { pathname, search } = new URL(link)
  return pathname + search
}

export const listTarget = (values: Readonly<Record<string, string>>): string =>
  `${generated}?${new URLSearchParams(values)}`

export const idsOf = (...pages: readonly Pick<Page, 'results'>[]): readonly string[] =>
  pages.flatMap(({ results }) => results.map(({ id }) => id))

/** Reads pages of the generated list. */
export const pageReader = ({ client }: Sandbox) => {
  const read = async (target: string): Promise<Page> => {
    const response = await client().get(target)
    expect(response.status, response.text).to.equal(200)
    return pageOf(response)
  }
  return {
    read,
    page: (values: Readonly<Record<string, string>>) => read(listTarget(values)),
    /** Returns the page and the pages behind its links, in this order. */
    follow: async (first: Page, link: 'next' | 'previous'): Promise<readonly Page[]> => {
      const pages = [first]
      for (let at = first[link]; at !== null && pages.length < 50; at = pages.at(-1)?.[link] ?? null)
        pages.push(await read(targetOf(at)))
      return pages
    },
  }
}

/** Tests the envelope, and the parameters page and page_size. */
export const paging = (sandbox: Sandbox): void => {
  const { client, create, marker } = sandbox
  const { read, page } = pageReader(sandbox)

  describe(`GET ${generated}`, () => {
    const total = 101
    let language: string
    let created: readonly ShownSnippet[]

    before(async () => {
      language = marker()
      const made = await Promise.all(Array.from({ length: total }, () => create({ language })))
      created = made.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    })

    it('returns count, next, previous and results in this order', async () => {
      const { text } = await client().get(listTarget({ language, page_size: '1', page: '2' }))
      expect(text).to.match(/^\{"count":101,"next":"[^"]*","previous":"[^"]*","results":\[\{"id":.*\}\]\}$/s)
      const nothing = await client().get(listTarget({ language: marker() }))
      expect(nothing.text).to.equal('{"count":0,"next":null,"previous":null,"results":[]}')
    })

    it('returns the first ten snippets by id by default, with the representation of GET', async () => {
      const first = await page({ language })
      expect(first.results).to.deep.equal(created.slice(0, 10))
      expect(first.previous).to.equal(null)
    })

    it('returns page_size snippets, but at most 100', async () => {
      for (const size of ['1', '100', '101', `1${'0'.repeat(30)}`]) {
        const { results } = await page({ language, page_size: size, page: '1' })
        expect(results).to.deep.equal(created.slice(0, Math.min(Number(size), 100)))
      }
    })

    it('returns each snippet on one page, and null as next on the last', async () => {
      const pages = await Promise.all(['1', '2', '3'].map(number => page({ language, page_size: '50', page: number })))
      expect(idsOf(...pages)).to.deep.equal(created.map(({ id }) => id))
      expect(pages.map(({ count, next }) => [count, next === null])).to.deep.equal([
        [total, false],
        [total, false],
        [total, true],
      ])
    })

    it('returns an empty page past the end, with the last page as previous', async () => {
      for (const past of ['12', '9007199254740993', `1${'0'.repeat(30)}`]) {
        const { count, results, next, previous } = await page({ language, page: past })
        expect({ count, results, next }).to.deep.equal({ count: total, results: [], next: null })
        expect(new URL(previous ?? '').searchParams.get('page')).to.equal('11')
        expect((await read(targetOf(previous ?? ''))).results).to.have.length(1)
      }
    })
  })
}

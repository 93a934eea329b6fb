import { expect } from 'chai'
import { pageOf, problemOf, type ShownPage, type ShownSnippet } from '../../support/http/representations.js'
import { generated, type Workspace } from './workspace.js'

type Page = ShownPage<ShownSnippet>

/** The path and query of a link. Its origin may be a public URL that is unreachable from here. */
export const targetOf = (link: string): string => {
  const { pathname, search } = new URL(link)
  return pathname + search
}

/** The envelope with its links, and the page and page_size parameters. */
export const paging = ({ client, create, marker }: Workspace): void => {
  describe(`GET ${generated}`, () => {
    let language: string
    let created: readonly ShownSnippet[]
    const page = async (query: string): Promise<Page> => {
      const answer = await client().get(`${generated}?language=${encodeURIComponent(language)}${query}`)
      expect(answer.status).to.equal(200)
      return pageOf(answer)
    }
    const follow = async (first: Page, link: 'next' | 'previous'): Promise<readonly Page[]> => {
      const pages = [first]
      for (let at = first[link]; at !== null && pages.length < 50; at = pages.at(-1)?.[link] ?? null)
        pages.push(pageOf(await client().get(targetOf(at))))
      return pages
    }
    const idsOf = (pages: readonly Page[]) => pages.flatMap(({ results }) => results.map(({ id }) => id))

    before(async () => {
      language = marker()
      const made: ShownSnippet[] = []
      while (made.length < 23) made.push(await create({ language, title: `title ${made.length % 3}` }))
      created = made
    })

    it('answers count, next, previous and results in this order', async () => {
      const { text } = await client().get(`${generated}?language=${encodeURIComponent(language)}&page_size=1&page=2`)
      expect(text).to.match(/^\{"count":23,"next":"[^"]*","previous":"[^"]*","results":\[\{"id":.*\}\]\}$/s)
    })

    it('shows the first ten snippets by default, by id, each as GET of the snippet shows it', async () => {
      const first = await page('')
      expect(first.results).to.deep.equal(created.slice(0, 10))
      expect(first.previous).to.equal(null)
    })

    for (const size of [1, 4, 10, 22, 23, 24, 100])
      it(`shows each snippet once across pages of ${size}, forwards and backwards`, async () => {
        const pages = await follow(await page(`&page_size=${size}`), 'next')
        expect(pages).to.have.length(Math.ceil(23 / size))
        expect(idsOf(pages)).to.deep.equal(created.map(({ id }) => id))
        for (const { count } of pages) expect(count).to.equal(23)
        const last = pages.at(-1)
        expect(last?.next).to.equal(null)
        const back = await follow(await page(`&page_size=${size}&page=${pages.length}`), 'previous')
        expect(idsOf([...back].reverse())).to.deep.equal(idsOf(pages))
      })

    it('keeps the other parameters in next and previous', async () => {
      const { next, previous } = await page('&ordering=-title,created_at&page=2&page_size=5&title=')
      for (const [link, number] of [
        [next, '3'],
        [previous, '1'],
      ] as const) {
        const url = new URL(link ?? '')
        expect(url.pathname).to.equal(generated)
        expect(Object.fromEntries(url.searchParams)).to.include({
          language,
          ordering: '-title,created_at',
          page_size: '5',
          page: number,
        })
      }
    })

    it("uses the request's Host in its links, unless the service has a public URL", async () => {
      const target = `${generated}?page_size=1&language=${encodeURIComponent(language)}`
      const link = async (headers?: { Host: string }) =>
        new URL(pageOf(await client().get(target, headers)).next ?? '').origin
      const [own, other] = [await link(), await link({ Host: 'snippets.test:8443' })]
      if (other !== own) expect(new URL(other).host).to.equal('snippets.test:8443')
    })

    it('links from past the end to the last page', async () => {
      for (const past of [4, 5, 1000]) {
        const { previous } = await page(`&page=${past}`)
        expect(new URL(previous ?? '').searchParams.get('page')).to.equal('3')
      }
    })

    it('answers an empty page past the end, with a working previous link', async () => {
      for (const past of ['4', '1000', '9007199254740993', `1${'0'.repeat(30)}`]) {
        const { count, results, next, previous } = await page(`&page=${past}`)
        expect({ count, results, next }).to.deep.equal({ count: 23, results: [], next: null })
        expect((await client().get(targetOf(previous ?? ''))).status).to.equal(200)
      }
    })

    it('has null links when nothing matches', async () => {
      const nothing = encodeURIComponent(marker())
      const { text } = await client().get(`${generated}?language=${nothing}`)
      expect(text).to.equal('{"count":0,"next":null,"previous":null,"results":[]}')
    })

    for (const parameter of ['page', 'page_size'])
      for (const value of ['0', '-1', '1.5', 'abc', '', '1e3', '%201', '0x1', '1,2', '%D9%A1', 'null'])
        it(`answers 400 to ${parameter}=${value}`, async () => {
          const answer = await client().get(`${generated}?${parameter}=${value}`)
          expect(answer.status).to.equal(400)
          expect(problemOf(answer).errors?.map(error => error.parameter)).to.deep.equal([parameter])
        })

    it('names all bad parameters at once', async () => {
      const answer = await client().get(`${generated}?page=0&page_size=x&ordering=id`)
      expect(answer.status).to.equal(400)
      const named = problemOf(answer).errors?.map(error => error.parameter)
      expect(named).to.have.members(['page', 'page_size', 'ordering'])
    })
  })

  describe(`GET ${generated} with a page_size above 100`, () => {
    it('answers pages of 100', async () => {
      const language = marker()
      for (let i = 0; i < 101; i += 10)
        await Promise.all(Array.from({ length: Math.min(10, 101 - i) }, () => create({ language })))
      const target = `${generated}?language=${encodeURIComponent(language)}`
      for (const size of ['101', '1000', '9007199254740993', `1${'0'.repeat(30)}`]) {
        const first = pageOf(await client().get(`${target}&page_size=${size}`))
        expect(first.results).to.have.length(100)
        const rest = pageOf(await client().get(targetOf(first.next ?? '')))
        expect(rest.results).to.have.length(1)
        expect(rest.next).to.equal(null)
      }
      expect(pageOf(await client().get(`${target}&page_size=100`)).results).to.have.length(100)
      expect(pageOf(await client().get(`${target}&page_size=99`)).results).to.have.length(99)
    })
  })
}

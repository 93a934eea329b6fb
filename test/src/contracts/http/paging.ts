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

export const idsOf = ({ results }: Page): readonly string[] => results.map(({ id }) => id)

export const pageReader = ({ client }: Sandbox) => {
  const read = async (target: string): Promise<Page> => {
    const response = await client().get(target)
    expect(response.status, response.text).to.equal(200)
    return pageOf(response)
  }
  return { read, page: (values: Readonly<Record<string, string>>) => read(listTarget(values)) }
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
      const made: ShownSnippet[] = []
      while (made.length < total) {
        // a storage may reject more creations at once
        const count = Math.min(20, total - made.length)
        made.push(...(await Promise.all(Array.from({ length: count }, () => create({ language })))))
      }
      created = made.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    })

    it('returns count, next, previous and results in this order', async () => {
      const { text } = await client().get(listTarget({ language, page_size: '1', page: '2' }))
      expect(text).to.match(/^\{"count":101,"next":"[^"]*","previous":"[^"]*","results":\[\{"id":.*\}\]\}$/s)
      const nothing = await client().get(listTarget({ language: marker() }))
      expect(nothing.text).to.equal('{"count":0,"next":null,"previous":null,"results":[]}')
    })

    it('returns the first ten snippets by id, or page_size snippets, but at most 100', async () => {
      expect((await page({ language })).results).to.deep.equal(created.slice(0, 10))
      for (const size of ['1', '100', '101', `1${'0'.repeat(30)}`]) {
        const { results } = await page({ language, page_size: size })
        expect(results).to.deep.equal(created.slice(0, Math.min(Number(size), 100)))
      }
    })

    it('returns an empty page past the end, with the last page as previous', async () => {
      for (const past of ['12', '9007199254740993', `1${'0'.repeat(30)}`]) {
        const { previous, ...others } = await page({ language, page: past })
        expect(others).to.deep.equal({ count: total, next: null, results: [] })
        expect(new URL(previous ?? '').searchParams.get('page')).to.equal('11')
        expect((await read(targetOf(previous ?? ''))).results).to.have.length(1)
      }
    })
  })
}

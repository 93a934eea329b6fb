import { expect } from 'chai'
import * as fc from 'fast-check'
import { targetOf } from '../contracts/http/paging.js'
import type { Client } from '../support/http/http-client.js'
import { header, pageOf, type ShownSnippet, snippetOf } from '../support/http/representations.js'
import { servicePerTest, sharedService } from '../support/service/mocha-service.js'

const families = ['/api/snippets/', '/api/snippets-viewset/'] as const
const list = '/api/snippets-viewset/'

/** Well-formed text of up to `max` code points, sometimes of full length or full of characters that trip parsers. */
const text = (max: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: max }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.floor(max / 10) }) },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: fc.constantFrom(...'"\\/\u0000\u001f\u2028\ufeff{}[],:'),
        minLength: 1,
        maxLength: max,
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(max), '😀'.repeat(max), ' ', '\u0000', '__proto__', 'null') },
  )

const content = fc.record({ title: text(100), code: text(10_000), language: text(50) })
const family = fc.constantFrom(...families)

const orderings = ['', 'title', '-title', 'created_at', '-created_at', 'title,-created_at', '-created_at,title']

describe('For any valid text, the service', function () {
  this.timeout(30_000)
  const service = sharedService()

  it('reads back what was created', async () => {
    const { client } = service
    await fc.assert(
      fc.asyncProperty(content, family, family, async (given, to, from) => {
        const created = await client.post(to, given)
        expect(created.status).to.equal(201)
        const { id, created_at, ...kept } = snippetOf(created)
        expect(kept).to.deep.equal(given)
        const read = await client.get(`${from}${id}/`)
        expect(read.text).to.equal(created.text)
        expect(header(read, 'ETag')).to.equal(header(created, 'ETag'))
        const query = new URLSearchParams({ language: given.language, title: given.title })
        const found = pageOf(await client.get(`${list}?${query}`)).results.map(snippet => snippet.id)
        expect(found).to.include(id)
        expect((await client.delete(`${to}${id}/`)).status).to.equal(204)
      }),
      { numRuns: 150 },
    )
  })

  it('accepts the representation that it served', async () => {
    const { client } = service
    await fc.assert(
      fc.asyncProperty(content, content, family, async (first, second, path) => {
        const created = await client.post(path, first)
        const { id } = snippetOf(created)
        const target = `${path}${id}/`
        expect((await client.put(target, created.text)).text).to.equal(created.text)
        const changed = await client.put(target, second)
        expect(snippetOf(changed)).to.deep.equal({ ...snippetOf(created), ...second })
        const back = await client.put(target, created.text, { 'If-Match': header(changed, 'ETag') })
        expect(back.text).to.equal(created.text)
        await client.delete(target)
      }),
      { numRuns: 75 },
    )
  })

  it('changes only the fields that a PATCH names', async () => {
    const { client } = service
    const part = fc.record({ title: text(100), code: text(10_000), language: text(50) }, { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(content, part, async (first, changes) => {
        const before = snippetOf(await client.post(list, first))
        const patched = await client.patch(`${list}${before.id}/`, changes)
        expect(snippetOf(patched)).to.deep.equal({ ...before, ...changes })
        await client.delete(`${list}${before.id}/`)
      }),
      { numRuns: 75 },
    )
  })
})

describe('For any collection, the service', function () {
  this.timeout(30_000)
  const start = servicePerTest()
  // few values, so that many snippets share one
  const few = fc.constantFrom('a', 'b', 'B', 'ab', '\uffff', '😀')
  const rows = fc.array(fc.record({ title: few, code: fc.constant('c'), language: few }), { maxLength: 30 })
  const filter = fc.record({ language: few, title: few }, { requiredKeys: [] })
  const ordering = fc.constantFrom(...orderings)
  const pageSize = fc.integer({ min: 1, max: 12 })

  it('serves each matching snippet once, in order, across the pages of every filter and ordering', async () => {
    await fc.assert(
      fc.asyncProperty(rows, filter, ordering, pageSize, async (given, wanted, ordering, size) => {
        let now = 0
        // three snippets share each created_at
        const { client, stop } = await start({ clock: { now: () => Math.floor(now++ / 3) } })
        const created: ShownSnippet[] = []
        for (const row of given) created.push(snippetOf(await client.post(list, row)))
        const query = new URLSearchParams({ ...wanted, ...(ordering && { ordering }), page_size: String(size) })
        const matching = created.filter(
          ({ language, title }) => (wanted.language ?? language) === language && (wanted.title ?? title) === title,
        )
        expect(await walk(client, `${list}?${query}`, size)).to.deep.equal(sorted(matching, ordering, wanted))
        await stop()
      }),
      { numRuns: 60 },
    )
  })
})

/** Follows `next` from the first page, and checks that only the last page is short. */
const walk = async (client: Client, first: string, size: number): Promise<readonly ShownSnippet[]> => {
  const walked: ShownSnippet[] = []
  let at: string | null = first
  while (at !== null) {
    const page = pageOf(await client.get(at))
    expect(page.results.length).to.equal(page.next === null ? page.count - walked.length : size)
    walked.push(...page.results)
    at = page.next && targetOf(page.next)
  }
  return walked
}

/** The id breaks ties in the direction of the last field that a filter does not hold equal. */
const sorted = (snippets: readonly ShownSnippet[], ordering: string, wanted: object): readonly ShownSnippet[] => {
  const bytes = (value: string) => Buffer.from(value)
  const names = ordering.split(',').filter(name => name !== '' && !(name.replace('-', '') in wanted))
  const idSign = names.at(-1)?.startsWith('-') ? -1 : 1
  return [...snippets].sort((a, b) => {
    for (const name of names) {
      const field = name.replace('-', '') as 'title' | 'created_at'
      const order = Buffer.compare(bytes(a[field]), bytes(b[field]))
      if (order !== 0) return name.startsWith('-') ? -order : order
    }
    return idSign * Number(BigInt(a.id) - BigInt(b.id))
  })
}

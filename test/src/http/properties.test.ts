import { filterFields } from '@snippets/domain/queries/filter.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { targetOf } from '../contracts/http/paging.js'
import { header, pageOf, snippetOf } from '../support/http/representations.js'
import { namedOrderings } from '../support/queries.js'
import { bodies, bodyOf, partialBodies } from '../support/samples.js'
import { sharedService } from '../support/service/mocha-service.js'

const list = '/api/snippets-viewset/'

const family = fc.constantFrom('/api/snippets/', list)

describe('For any valid text, the service', function () {
  this.timeout(30_000)
  const service = sharedService()

  it('returns created texts, finds them, applies a PATCH, and accepts its own representation', async () => {
    const { client } = service
    await fc.assert(
      fc.asyncProperty(bodies, partialBodies, family, family, async (given, changes, to, from) => {
        const created = await client.post(to, given)
        const shown = snippetOf(created)
        const { id } = shown
        expect(shown).to.deep.include(given)
        const read = await client.get(`${from}${id}/`)
        expect(read.text).to.equal(created.text)
        expect(header(read, 'ETag')).to.equal(header(created, 'ETag'))
        const query = new URLSearchParams(makeRecord(filterFields, field => given[field]))
        const found = pageOf(await client.get(`${list}?${query}`)).results.map(snippet => snippet.id)
        expect(found).to.include(id)

        const patched = await client.patch(`${list}${id}/`, changes)
        expect(snippetOf(patched)).to.deep.equal({ ...shown, ...changes })
        const back = await client.put(`${from}${id}/`, created.text, { 'If-Match': header(patched, 'ETag') })
        expect(snippetOf(back)).to.deep.equal(shown)
        expect((await client.delete(`${to}${id}/`)).status).to.equal(204)
      }),
      { numRuns: 50 },
    )
  })
})

const title = fc.constantFrom('a', 'a\u0000', 'b', '\ue000', '😀', '\uffff')
const walk = fc.record({
  ordering: fc.constantFrom(...namedOrderings),
  size: fc.integer({ min: 1, max: 5 }),
  titles: fc.array(title, { minLength: 1, maxLength: 25 }),
  /** The write after each page. */
  writes: fc.array(fc.record({ kind: fc.constantFrom('create', 'delete', 'rename'), of: fc.nat(), title })),
  direction: fc.constantFrom('next' as const, 'previous' as const),
})

describe('Following the links of a list while others write', function () {
  this.timeout(60_000)
  const service = sharedService()
  let runs = 0

  it('returns every unchanged snippet exactly once', async () => {
    const { client } = service
    await fc.assert(
      fc.asyncProperty(walk, async ({ ordering, size, titles, writes, direction }) => {
        const language = `walk ${runs++}`
        const create = async (title: string) =>
          snippetOf(await client.post(list, bodyOf({ title, code: 'c', language }))).id
        const unchanged: string[] = []
        for (const title of titles) unchanged.push(await create(title))
        const write = async ({ kind, of, title }: (typeof writes)[number]): Promise<void> => {
          if (kind === 'create') await create(title)
          const [id] = kind === 'create' ? [] : unchanged.splice(of % unchanged.length, 1)
          if (id === undefined) return
          if (kind === 'rename') await client.patch(`${list}${id}/`, { title })
          else await client.delete(`${list}${id}/`)
        }
        // backwards from the last page, which may be shorter
        const page = direction === 'next' ? 1 : Math.ceil(titles.length / size)
        const query = new URLSearchParams({ language, page_size: `${size}`, page: `${page}` })
        if (ordering.length > 0) query.set('ordering', ordering.join(','))
        const seen: string[] = []
        for (let target: string | null = `${list}?${query}`, turned = 0; target !== null; turned++) {
          const found = pageOf(await client.get(target))
          seen.push(...found.results.map(({ id }) => id))
          for (const each of writes.slice(turned, turned + 1)) await write(each)
          target = found[direction] && targetOf(found[direction])
        }
        expect(seen.filter(id => unchanged.includes(id)).toSorted()).to.deep.equal(unchanged.toSorted())
      }),
      { numRuns: 40 },
    )
  })
})

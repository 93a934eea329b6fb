import { filterFields } from '@snippets/domain/queries/filter.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { targetOf } from '../contracts/http/paging.js'
import { header, pageOf, type ShownSnippet, snippetOf } from '../support/http/representations.js'
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
      { numRuns: 100 },
    )
  })
})

const ordering = fc.constantFrom(...namedOrderings)
const title = fc.constantFrom('a', 'a\u0000', 'b', '\ue000', '😀', '\uffff')
const write = fc.record({ kind: fc.constantFrom('create', 'delete', 'edit', 'rename'), of: fc.nat(), title })
const walk = fc.record({
  ordering,
  filter: fc.constantFrom('', 'a'),
  search: fc.constantFrom('', 'C'),
  sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
  titles: fc.array(title, { minLength: 1, maxLength: 25 }),
  /** The write after each page. */
  writes: fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 12 }),
  direction: fc.constantFrom('next' as const, 'previous' as const),
})

describe('Following the links of a list while others write', function () {
  this.timeout(60_000)
  const service = sharedService()
  let runs = 0

  it('returns every unchanged snippet exactly once', async () => {
    const { client } = service
    await fc.assert(
      fc.asyncProperty(walk, async ({ ordering, filter, search, sizes, titles, writes, direction }) => {
        const language = `walk ${runs++}`
        const create = async (title: string) =>
          snippetOf(await client.post(list, bodyOf({ title, code: 'c', language })))
        const existing = new Map<string, ShownSnippet>()
        for (const title of titles) await create(title).then(snippet => existing.set(snippet.id, snippet))
        const unchanged = new Map([...existing].filter(([, snippet]) => filter === '' || snippet.title === filter))

        const apply = async ({ kind, of, title }: (typeof writes)[number][number]) => {
          const created = kind === 'create' ? await create(title) : undefined
          if (created) existing.set(created.id, created)
          const chosen = [...existing.values()][of % existing.size]
          if (created || chosen === undefined) return
          if (kind === 'edit') await client.patch(`${list}${chosen.id}/`, { code: 'd' })
          if (kind !== 'edit' || search) unchanged.delete(chosen.id)
          if (kind === 'rename') await client.patch(`${list}${chosen.id}/`, { title })
          if (kind === 'delete') await client.delete(`${list}${chosen.id}/`)
          if (kind === 'delete') existing.delete(chosen.id)
        }

        const query = new URLSearchParams({ language, page_size: String(sizes[0]) })
        if (ordering.length > 0) query.set('ordering', ordering.join(','))
        if (filter) query.set('title', filter)
        // an edited snippet no longer contains the search term
        if (search) query.set('search', search)
        // backwards from the last page, which may be shorter
        const last = Math.max(1, Math.ceil(unchanged.size / (sizes[0] ?? 1)))
        if (direction === 'previous') query.set('page', String(last))
        const seen: string[] = []
        for (let target: string | null = `${list}?${query}`, page = 0; target !== null; page++) {
          const found = pageOf(await client.get(target))
          seen.push(...found.results.map(({ id }) => id))
          for (const each of writes[page] ?? []) await apply(each)
          const link: string | null = found[direction]
          target = link && targetOf(link).replace(/page_size=\d+/, `page_size=${sizes[page % sizes.length]}`)
        }
        const seenUnchanged = seen.filter(id => unchanged.has(id))
        expect(seenUnchanged.toSorted()).to.deep.equal([...unchanged.keys()].toSorted())
      }),
      { numRuns: 60 },
    )
  })
})

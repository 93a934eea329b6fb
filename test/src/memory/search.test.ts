import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { searchTooBroad } from '@snippets/domain/errors.js'
import { type SnippetQuery, windowOf } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { naivePage } from '../contracts/storage/model.js'
import { positionOf } from '../contracts/storage/positions.js'
import { byId, everyShape, firstPage, sortedBy } from '../support/queries.js'
import { aSearch } from '../support/searches.js'
import { changes, draft, must } from '../support/snippets.js'

const filled = async (count: number): Promise<{ snippets: SnippetStore; made: readonly Snippet[] }> => {
  const { snippets } = memoryStorage({ users: [] })
  const made: Snippet[] = []
  for (let i = 0; i < count; i++) {
    const raw = { title: `title ${i % 7}`, code: i % 3 === 0 ? 'a needle' : 'hay', language: i % 2 ? 'c' : 'go' }
    made.push(must(await snippets.create(draft(raw))()))
  }
  return { snippets, made }
}

const needles = { ...firstPage(), search: aSearch('NEEDLE') }

/** Has a clock on which looking at the time takes so many milliseconds. */
const onClock = async <A>(msEach: number, run: () => Promise<A>): Promise<A> => {
  let now = 0
  Object.assign(performance, { now: () => (now += msEach) })
  try {
    return await run()
  } finally {
    // what remains is the clock's own method
    Reflect.deleteProperty(performance, 'now')
  }
}

describe('A search in memory', () => {
  it('shows one moment, although others write while it runs', async () => {
    const { snippets, made } = await filled(300)
    for (const ordering of [byId, sortedBy('-title'), sortedBy('created_at')])
      for (const filter of [{}, { language: 'go' }]) {
        const query = { ...needles, ordering, filter, window: windowOf(1, 100) }
        const before = must(await snippets.page({ ...query, window: windowOf(1, 100) })())
        const searching = snippets.page(query)()
        await Promise.resolve()
        const created = snippets.create(draft({ code: 'needle', language: 'go' }))()
        const deleted = before.items.slice(0, 5).map(({ id }) => snippets.delete(id, anyRevision)())
        const updated = before.items
          .slice(5, 9)
          .map(({ id }) => snippets.update(id, changes({ code: 'hay' }), anyRevision)())
        expect(must(await searching)).to.deep.equal(before)
        for (const write of [created, ...updated]) must(await write)
        for (const write of deleted) must(await write)
        expect(must(await snippets.page(query)())).to.include({ count: before.count - 8 })
      }
    expect(made).to.have.length(300)
  })

  it('lets others run between its slices', async () => {
    const { snippets } = await filled(300)
    let others = 0
    let isOver = false
    const running = (async () => {
      for (; !isOver; others++) await new Promise(setImmediate)
    })()
    // two looks at the time to a millisecond
    await onClock(0.5, snippets.page(needles))
    isOver = true
    await running
    expect(others).to.be.above(50)
  })

  it('that takes more than a second is too broad', async () => {
    const { snippets, made } = await filled(300)
    expect(await onClock(4, snippets.page(needles))).to.deep.equal(left(searchTooBroad))
    expect(await snippets.page(needles)()).to.deep.equal(right(naivePage(made, needles)))
  })

  it('that a filter narrows is in time where one of all is not', async () => {
    const { snippets, made } = await filled(300)
    const narrow = { ...needles, filter: { title: 'title 3', language: 'c' } }
    expect(await onClock(4, snippets.page(narrow))).to.deep.equal(right(naivePage(made, narrow)))
  })

  it('runs after those that came before it, within its own second', async () => {
    const { snippets, made } = await filled(300)
    const expected = right(naivePage(made, needles))
    const both = () => Promise.all([snippets.page(needles)(), snippets.page(needles)()])
    expect(await onClock(0.5, both)).to.deep.equal([expected, expected])
    expect(await onClock(1, both)).to.deep.equal([expected, left(searchTooBroad)])
  })

  it('leaves a page without a search as quick as ever', async () => {
    const { snippets, made } = await filled(300)
    const searching = snippets.page(needles)()
    const page = await Promise.race([searching, snippets.page(firstPage())()])
    expect(page).to.deep.equal(right(naivePage(made, firstPage())))
    await searching
  })
})

const word = fc.constantFrom('a', 'A b', 'b', 'é', 'É c', 'ß', 'ſ', '😀')
const write = fc.record({ kind: fc.constantFrom('create', 'delete', 'update'), of: fc.nat(), title: word, code: word })
const walk = fc.record({
  search: fc.constantFrom('a', 'B', '"a b"', 'é', 'a c', 'S', '😀', 'z').map(aSearch),
  shape: fc.constantFrom(...everyShape),
  side: fc.constantFrom('after' as const, 'before' as const),
  size: fc.integer({ min: 1, max: 4 }),
  texts: fc.array(fc.record({ title: word, code: word, created_at: fc.constantFrom(1, 2) }), { maxLength: 40 }),
  /** What is written after each page. */
  writes: fc.array(fc.array(write, { maxLength: 3 }), { maxLength: 12 }),
})

describe('Walking through a search', () => {
  it('shows what a naive filter over all snippets finds, page by page and by positions, also while others write', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ search, shape, side, size, texts, writes }) => {
        const { snippets } = memoryStorage({ users: [] })
        let kept: readonly Snippet[] = []
        const create = async (raw: Parameters<typeof draft>[0]) => {
          kept = [...kept, must(await snippets.create(draft({ language: 'c', ...raw }))())]
        }
        for (const text of texts) await create(text)
        const filter = {
          ...(shape.filtered.includes('language') && { language: 'c' }),
          ...(shape.filtered.includes('title') && { title: 'A b' }),
        }
        const listed = { filter, search, ordering: shape.ordering }
        const read = async (query: SnippetQuery) => {
          const page = must(await snippets.page(query)())
          expect(page).to.deep.equal(naivePage(kept, query))
          return page
        }
        const seen: Snippet[] = []
        let staying = new Set(naivePage(kept, { ...listed, window: windowOf(1, 100) }).items)
        const last = Math.max(1, Math.ceil(staying.size / size))
        let page = await read({ ...listed, window: windowOf(side === 'after' ? 1 : last, size) })
        for (let round = 0; page.items.length > 0; round++) {
          seen.push(...page.items)
          for (const { kind, of, title, code } of writes[round] ?? []) {
            const chosen = kept[of % kept.length]
            if (kind === 'create') await create({ title, code })
            else if (chosen !== undefined) {
              staying = new Set([...staying].filter(({ id }) => id !== chosen.id))
              kept = kept.filter(({ id }) => id !== chosen.id)
              if (kind === 'delete') must(await snippets.delete(chosen.id, anyRevision)())
              else {
                const updated = must(await snippets.update(chosen.id, changes({ title, code }), anyRevision)())
                kept = [...kept, updated]
              }
            }
            await read({ ...listed, window: windowOf(round + 1, size) })
          }
          const edge = side === 'after' ? page.items.at(-1) : page.items[0]
          if (edge === undefined) break
          const seek = { side, position: positionOf(listed, edge) }
          page = await read({ ...listed, window: windowOf(1, size), seek })
        }
        expect(seen.filter(snippet => staying.has(snippet))).to.have.members([...staying])
      }),
      { numRuns: 300 },
    )
  }).timeout(60_000)
})

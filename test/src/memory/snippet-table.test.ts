import { createSearchQueue } from '@snippets/adapters-memory/state/searches.js'
import { SnippetTable } from '@snippets/adapters-memory/state/snippet-table.js'
import { firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import { overloaded } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'
import type { Id } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { countTurns } from '../support/event-loop-turns.js'
import { onClock } from '../support/on-clock.js'
import { everyShape, firstPage, type QueryShape, sortedBy } from '../support/queries.js'
import { anId, draft, must } from '../support/snippets.js'
import { naiveMatches, naivePage } from '../support/storage/model.js'

const count = 200
const snippets = Array.from({ length: count }, (_, i) =>
  firstVersion(
    anId(BigInt(i + 1)),
    draft({ title: `title ${i % 7}`, language: i % 2 ? 'c' : 'go', created_at: i % 5 }),
  ),
)

const queueSearch = createSearchQueue()

const aSnippet = (id: Id, title: string): Snippet => firstVersion(id, draft({ title }))

// enough for a build of several turns of the event loop
const many = Array.from({ length: 4000 }, (_, i) => aSnippet(anId(BigInt(i + 1)), `title ${i % 7}`))

const byTitle = { ...firstPage(), ordering: sortedBy('title') }
const byTime = { ...firstPage(), ordering: sortedBy('-created_at') }

// around the number that a build inserts in a turn
const sizes = [0, 1, 512, 513, 1025]

/** Creates writes for the turns of two builds. Builds begin and end at these ids. */
const casesOf = (size: number) => {
  const write = fc.record({
    id: fc
      .oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: size + 1, max: size + 3 }))
      .map(BigInt)
      .map(anId),
    title: fc.option(fc.constantFrom('title 3', 'title 4'), { nil: undefined }),
  })
  return fc.record({ size: fc.constant(size), turns: fc.array(fc.array(write, { maxLength: 8 }), { maxLength: 10 }) })
}

describe('The table of the memory storage', () => {
  it('builds each list once, and at most one list in a turn of the event loop', async () => {
    const turns = countTurns()
    const table = new SnippetTable(snippets)
    const turnsWithResults = new Set<number>()
    const read = async ({ filtered, ordering }: QueryShape): Promise<void> => {
      const filter = Object.fromEntries(filtered.map(field => [field, snippets[0]?.[field]]))
      const query = { filter, ordering, window: makeWindow(1, 100) }
      const page = await table.page(query, queueSearch)
      turnsWithResults.add(turns.current())
      expect(page).to.deep.equal(right(naivePage(snippets, query)))
    }
    // the clock stands still, so that no page waits too long
    await onClock(0, () => Promise.all([...everyShape, ...everyShape].map(read)))
    await turns.stop()
    // the list by id exists from the start
    expect(turnsWithResults.size).to.equal(indexedPlans.length + 1)
  })

  it('serves pages and writes while it builds lists, which then hold each snippet once', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...sizes).chain(casesOf), ({ size, turns }) =>
        onClock(0, async () => {
          const made = many.slice(0, size)
          const table = new SnippetTable(made)
          const stored = new Map(made.map(snippet => [snippet.id, snippet]))
          const queries = [byTitle, byTime]
          const building = Promise.all(queries.map(query => table.page(query, queueSearch)))
          for (const writes of turns) {
            for (const { id, title } of writes) {
              const version = (stored.get(id)?.version ?? 0) + 1
              const snippet = title === undefined ? undefined : { ...aSnippet(id, title), version }
              table.set(id, snippet)
              if (snippet === undefined) stored.delete(id)
              else stored.set(id, snippet)
            }
            expect(must(await table.page(firstPage(), queueSearch))).to.deep.equal(
              naivePage([...stored.values()], firstPage()),
            )
            await new Promise(setImmediate)
          }
          await building
          for (const query of [...queries, firstPage()]) {
            const numbers = Array.from({ length: Math.ceil(size / 100) + 1 }, (_, i) => i + 1)
            const pages = numbers.map(number => table.page({ ...query, window: makeWindow(number, 100) }, queueSearch))
            const items = (await Promise.all(pages)).flatMap(page => must(page).items)
            const expected = naiveMatches([...stored.values()], query)
            // chai takes minutes to print thousands of snippets
            expect(items.length).to.equal(expected.length)
            expect(items.findIndex((item, i) => item !== expected[i])).to.equal(-1)
          }
        }),
      ),
      { numRuns: 20 },
    ))

  it('rejects a page that waits more than a second for its list, and finishes the list for the next page', async () => {
    const table = new SnippetTable(many)
    const queries = [byTitle, byTime]
    const read = () => Promise.all(queries.map(query => table.page(query, queueSearch)))
    // a page reads the clock once at its start, and then in each turn
    expect(await onClock(100, read)).to.deep.equal(queries.map(() => left(overloaded)))
    for (let turn = 0; turn < many.length; turn++) await new Promise(setImmediate)
    expect(await onClock(2000, read)).to.deep.equal(queries.map(query => right(naivePage(many, query))))
  })
})

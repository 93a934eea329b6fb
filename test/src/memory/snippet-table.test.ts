import { SnippetTable } from '@snippets/adapters-memory/state/snippet-table.js'
import { firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import { overloaded } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'
import type { Id } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
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

const aSnippet = (id: Id, title: string): Snippet => firstVersion(id, draft({ title }))

// more than a build inserts in a turn of the event loop
const many = Array.from({ length: 2000 }, (_, i) => aSnippet(anId(BigInt(i + 1)), `title ${i % 7}`))

const byTitle = { ...firstPage(), ordering: sortedBy('title') }

describe('The table of the memory storage', () => {
  it('builds each list once, and at most one list in a turn of the event loop', async () => {
    const turns = countTurns()
    const table = new SnippetTable(snippets)
    const turnsWithResults = new Set<number>()
    const read = async ({ filtered, ordering }: QueryShape): Promise<void> => {
      const filter = Object.fromEntries(filtered.map(field => [field, snippets[0]?.[field]]))
      const query = { filter, ordering, window: makeWindow(1, 100) }
      const page = await table.page(query)
      turnsWithResults.add(turns.current())
      expect(page).to.deep.equal(right(naivePage(snippets, query)))
    }
    // the clock stands still, so that no page waits too long
    await onClock(0, () => Promise.all([...everyShape, ...everyShape].map(read)))
    await turns.stop()
    // the list by id exists from the start
    expect(turnsWithResults.size).to.equal(indexedPlans.length + 1)
  })

  it('serves pages and writes while it builds a list, which then holds each snippet once', async () => {
    const table = new SnippetTable(many)
    const stored = new Map(many.map(snippet => [snippet.id, snippet]))
    const store = (id: Id, snippet: Snippet | undefined): void => {
      table.set(id, snippet)
      snippet === undefined ? stored.delete(id) : stored.set(id, snippet)
    }
    await onClock(0, async () => {
      let isBuilt = false
      const building = table.page(byTitle).finally(() => {
        isBuilt = true
      })
      let turn = 0
      for (; !isBuilt; turn++) {
        // changes also the snippet at which the build stands
        for (const id of stored.keys())
          store(
            id,
            id % 8n === BigInt(turn) ? undefined : { ...aSnippet(id, `title ${Number(id) % (turn + 2)}`), version: 2 },
          )
        const added = anId(BigInt(many.length + turn + 1))
        store(added, aSnippet(added, 'title 3'))
        expect(must(await table.page(firstPage())).items).to.deep.equal([...stored.values()].slice(0, 10))
        await new Promise(setImmediate)
      }
      expect(turn).to.be.above(3)
      must(await building)
    })
    const numbers = Array.from({ length: many.length / 100 }, (_, i) => i + 1)
    const pages = numbers.map(number => table.page({ ...byTitle, window: makeWindow(number, 100) }))
    const items = (await Promise.all(pages)).flatMap(page => must(page).items)
    const expected = naiveMatches([...stored.values()], byTitle)
    // chai takes minutes to print thousands of snippets
    expect(items.length).to.equal(expected.length)
    expect(items.findIndex((item, i) => item !== expected[i])).to.equal(-1)
  })

  it('rejects a page that waits more than a second for a list, and finishes the list for the next page', async () => {
    const table = new SnippetTable(many)
    const expected = right(naivePage(many, byTitle))
    // a page reads the clock once at its start, and then in each turn
    expect(await onClock(500, () => table.page(byTitle))).to.deep.equal(left(overloaded))
    for (let turn = 0; turn < many.length; turn++) await new Promise(setImmediate)
    expect(await onClock(2000, () => table.page(byTitle))).to.deep.equal(expected)
  })
})

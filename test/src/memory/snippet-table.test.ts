import { mock } from 'node:test'
import { SnippetTable } from '@snippets/adapters-memory/state/snippet-table.js'
import { SortedList } from '@snippets/adapters-memory/state/sorted-list.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { overloaded } from '@snippets/domain/ports/errors.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { countTurns } from '../support/event-loop-turns.js'
import { onClock } from '../support/on-clock.js'
import { everyShape, firstPage, sortedBy } from '../support/queries.js'
import { anId, draft } from '../support/snippets.js'
import { naivePage } from '../support/storage/model.js'

const count = 200
const snippets = Array.from({ length: count }, (_, i) =>
  firstVersion(
    anId(BigInt(i + 1)),
    draft({ title: `title ${i % 7}`, language: i % 2 ? 'c' : 'go', created_at: i % 5 }),
  ),
)

describe('The table of the memory storage', () => {
  afterEach(() => mock.reset())

  it('builds each list once, and at most one list in a turn of the event loop', async () => {
    const turns = countTurns()
    const turnsWithBuild: number[] = []
    const { slice } = SortedList.prototype
    mock.method(SortedList.prototype, 'slice', function (this: SortedList<unknown>, from: number, to: number) {
      // only a build reads the whole list
      if (to === Number.POSITIVE_INFINITY) turnsWithBuild.push(turns.current())
      return slice.call(this, from, to)
    })
    const queries = everyShape.map(({ filtered, ordering }): SnippetQuery => {
      const filter = Object.fromEntries(filtered.map(field => [field, snippets[0]?.[field]]))
      return { filter, ordering, window: makeWindow(1, 100) }
    })
    const table = new SnippetTable(snippets)
    // the clock stands still, so that no page waits too long
    const pages = await onClock(0, () => Promise.all([...queries, ...queries].map(query => table.page(query))))
    await turns.stop()
    expect(pages).to.deep.equal([...queries, ...queries].map(query => right(naivePage(snippets, query))))
    expect(turnsWithBuild).to.have.length(indexedPlans.length)
    // the second build may come before the first counted turn has ended
    expect(new Set(turnsWithBuild).size).to.be.at.least(indexedPlans.length - 1)
  })

  it('rejects a page that waits more than a second for other lists, and serves it later', async () => {
    const table = new SnippetTable(snippets)
    const orderings = [sortedBy('title'), sortedBy('created_at'), sortedBy('-created_at', 'title')]
    const asked = orderings.map(ordering => ({ ...firstPage(), ordering }))
    const pages = asked.map(query => right(naivePage(snippets, query)))
    const answers = await onClock(300, () => Promise.all(asked.map(query => table.page(query))))
    expect(answers).to.deep.equal([...pages.slice(0, 2), left(overloaded)])
    expect(await Promise.all(asked.map(query => table.page(query)))).to.deep.equal(pages)
  })
})

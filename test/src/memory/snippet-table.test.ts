import { SnippetTable } from '@snippets/adapters-memory/state/snippet-table.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { overloaded } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { countTurns } from '../support/event-loop-turns.js'
import { onClock } from '../support/on-clock.js'
import { everyShape, firstPage, type QueryShape, sortedBy } from '../support/queries.js'
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
    // the second build may come before the first counted turn has ended
    expect(turnsWithResults.size).to.be.within(indexedPlans.length - 1, indexedPlans.length)
  })

  it('rejects a page that waits more than a second for other lists, and serves it later', async () => {
    const table = new SnippetTable(snippets)
    const orderings = [sortedBy('title'), sortedBy('created_at'), sortedBy('-created_at', 'title')]
    const asked = orderings.map(ordering => ({ ...firstPage(), ordering }))
    const pages = asked.map(query => right(naivePage(snippets, query)))
    const answers = await onClock(500, () => Promise.all(asked.map(query => table.page(query))))
    expect(answers).to.deep.equal([...pages.slice(0, 2), left(overloaded)])
    expect(await Promise.all(asked.map(query => table.page(query)))).to.deep.equal(pages)
  })
})

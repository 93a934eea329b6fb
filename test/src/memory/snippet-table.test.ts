import { mock } from 'node:test'
import { SnippetTable } from '@snippets/adapters-memory/snippet-table.js'
import { SortedList } from '@snippets/adapters-memory/sorted-list.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { overloaded, searchTooBroad } from '@snippets/domain/ports/errors.js'
import { type SnippetQuery, windowOf } from '@snippets/domain/queries/page.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { countTurns, type EventLoopTurns } from '../support/event-loop-turns.js'
import { onClock } from '../support/on-clock.js'
import { aSearch, everyShape, firstPage, sortedBy } from '../support/queries.js'
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
  let turns: EventLoopTurns
  let turnsWithBuild: number[]

  beforeEach(() => {
    turns = countTurns()
    turnsWithBuild = []
    const { slice } = SortedList.prototype
    mock.method(SortedList.prototype, 'slice', function (this: SortedList<unknown>, from: number, to: number) {
      // only a build reads the whole list: the pages here are shorter
      if (to - from === count) turnsWithBuild.push(turns.current())
      return slice.call(this, from, to)
    })
  })
  afterEach(async () => {
    mock.reset()
    await turns.stop()
  })

  const queries = everyShape.map(({ filtered, ordering }): SnippetQuery => {
    const filter = Object.fromEntries(filtered.map(field => [field, snippets[0]?.[field]]))
    return { filter, ordering, window: windowOf(1, 100) }
  })

  it('builds each list once, and at most one list in a turn of the event loop', async () => {
    const table = new SnippetTable(snippets, indexedPlans.length + 1)
    const pages = await Promise.all([...queries, ...queries].map(query => table.page(query)))
    expect(pages).to.deep.equal([...queries, ...queries].map(query => right(naivePage(snippets, query))))
    expect(turnsWithBuild).to.have.length(indexedPlans.length)
    // the second build may come before the first counted turn has ended
    expect(new Set(turnsWithBuild).size).to.be.at.least(indexedPlans.length - 1)
  })

  it('drops the least recently used list when there are too many', async () => {
    const table = new SnippetTable(snippets, 2)
    const pageBy = async (field: 'title' | 'created_at', ...others: ['title' | 'created_at'] | []) => {
      const query = { ...firstPage(), ordering: sortedBy(field, ...others) }
      expect(await table.page(query)).to.deep.equal(right(naivePage(snippets, query)))
      return turnsWithBuild.length
    }
    expect(await pageBy('title')).to.equal(1)
    expect(await pageBy('created_at')).to.equal(2)
    expect(await pageBy('title')).to.equal(2)
    expect(await pageBy('title', 'created_at')).to.equal(3)
    expect(await pageBy('title')).to.equal(3)
    const inserting = mock.method(SortedList.prototype, 'insert')
    const [last] = snippets
    if (last === undefined) throw new Error('there are snippets')
    table.set(last.id, { ...last, version: 2 })
    // the list by id, and the two newest
    expect(inserting.mock.callCount()).to.equal(3)
    table.set(last.id, last)
    expect(await pageBy('created_at')).to.equal(4)
  })

  it('returns correct pages when every page drops the list of the previous page', async () => {
    const table = new SnippetTable(snippets, 1)
    for (const query of queries) expect(await table.page(query)).to.deep.equal(right(naivePage(snippets, query)))
    const pages = await Promise.all(queries.map(query => table.page(query)))
    expect(pages).to.deep.equal(queries.map(query => right(naivePage(snippets, query))))
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

  it('ends a search a second after latestStart, even if building its list took longer', async () => {
    const query = { ...firstPage(), filter: { search: aSearch('title') }, ordering: sortedBy('title') }
    const scan = (latestStart: number) => new SnippetTable(snippets).scan(query, latestStart)
    expect(await scan(performance.now())).to.deep.equal(right(naivePage(snippets, query)))
    expect(await scan(performance.now() - 1000)).to.deep.equal(left(searchTooBroad))
  })
})

import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { overloaded, searchTooBroad } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { countTurns } from '../support/event-loop-turns.js'
import { onClock } from '../support/on-clock.js'
import { aSearch, byId, firstPage, sortedBy } from '../support/queries.js'
import { anyRevision, changes, draft, must, now } from '../support/snippets.js'
import { naivePage } from '../support/storage/model.js'

const filled = async (count: number): Promise<{ snippets: SnippetStore; made: readonly Snippet[] }> => {
  const { snippets } = createMemoryStorage({ users: [] })
  const made: Snippet[] = []
  for (let i = 0; i < count; i++) {
    const raw = { title: `title ${i % 7}`, code: i % 3 === 0 ? 'a needle' : 'hay', language: i % 2 ? 'c' : 'go' }
    made.push(must(await snippets.create(draft(raw))()))
  }
  return { snippets, made }
}

const needles = { ...firstPage(), filter: { search: aSearch('NEEDLE') } }

describe('A search in memory', () => {
  it('yields to writes, and reads the table as it was before them', async () => {
    const { snippets } = await filled(4800)
    for (const ordering of [byId, sortedBy('-title'), sortedBy('created_at')])
      for (const filter of [{}, { language: 'go' }]) {
        const query = { ...needles, ordering, window: makeWindow(1, 100), filter: { ...needles.filter, ...filter } }
        const before = must(await snippets.page(query)())
        // each reading of the clock takes a millisecond, so that the search yields many times
        await onClock(1, async () => {
          const searching = snippets.page(query)()
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
          const writes: readonly TaskEither<unknown, unknown>[] = [
            snippets.create(draft({ code: 'needle', language: 'go' })),
            ...before.items.slice(0, 5).map(({ id }) => snippets.delete(id, anyRevision)),
            ...before.items
              .slice(5, 9)
              .map(({ id }) => snippets.update(id, changes({ code: 'hay' }), anyRevision, now)),
          ]
          const written = Promise.all(writes.map(write => write()))
          expect(await Promise.race([searching, written])).to.have.length(writes.length)
          expect(must(await searching)).to.deep.equal(before)
          for (const result of await written) must(result)
        })
        expect(must(await snippets.page(query)())).to.include({ count: before.count - 8 })
      }
  })

  it('is rejected as too broad after a second, and finds its matches in time with a filter', async () => {
    const { snippets, made } = await filled(4800)
    expect(await onClock(4, snippets.page(needles))).to.deep.equal(left(searchTooBroad))
    expect(await snippets.page(needles)()).to.deep.equal(right(naivePage(made, needles)))
    const narrow = { ...needles, filter: { ...needles.filter, title: 'title 3', language: 'c' } }
    expect(await onClock(4, snippets.page(narrow))).to.deep.equal(right(naivePage(made, narrow)))
  })

  it('is rejected after a second of waiting, for its list and in the queue', async () => {
    for (const [ordering, served, rejected] of [
      [byId, 20, 28],
      [sortedBy('-title'), 1, 20],
    ] as const) {
      const { snippets, made } = await filled(1200)
      const search = { ...needles, ordering }
      const expected = right(naivePage(made, search))
      // a scan takes about 40 ms; the margins allow it to read the clock more or less often
      const found = await onClock(0.5, async () => {
        // these pages advance the clock while the list is built
        const pages = Array.from({ length: 400 }, () => snippets.page({ ...search, filter: {} })())
        const searches = Array.from({ length: 30 }, () => snippets.page(search)())
        await Promise.all(pages)
        return Promise.all(searches)
      })
      expect(found.slice(0, served)).to.deep.equal(Array(served).fill(expected))
      expect(found[rejected]).to.deep.equal(left(overloaded))
      expect(await snippets.page(search)()).to.deep.equal(expected)
    }
  })

  it('has its second after a wait for its list', async () => {
    const { snippets, made } = await filled(3600)
    const search = { ...needles, ordering: sortedBy('-title') }
    const found = await onClock(2, async () => {
      const pages = Array.from({ length: 20 }, () => snippets.page({ ...search, filter: {} })())
      const searching = snippets.page(search)()
      await Promise.all(pages)
      return searching
    })
    expect(found).to.deep.equal(right(naivePage(made, search)))
  })

  it('does not wait behind a search whose list is being built', async () => {
    const { snippets, made } = await filled(8)
    const waiting = snippets.page({ ...needles, ordering: sortedBy('-title') })()
    expect(await Promise.race([waiting, snippets.page(needles)()])).to.deep.equal(right(naivePage(made, needles)))
    must(await waiting)
  })

  it('is rejected at once while 64 others run or wait', async () => {
    const { snippets, made } = await filled(3)
    const expected = right(naivePage(made, needles))
    const accepted = Array.from({ length: 64 }, () => snippets.page(needles)())
    for (let turn = 0; turn < 3; turn++) {
      const rejected = snippets.page(needles)()
      expect(await Promise.race([rejected, accepted[63]])).to.deep.equal(left(overloaded))
    }
    for (const found of await Promise.all(accepted)) expect(found).to.deep.equal(expected)
    expect(await snippets.page(needles)()).to.deep.equal(expected)
  })

  it('does not delay a page without a search, and begins in a turn of the event loop of its own', async () => {
    const { snippets, made } = await filled(3)
    const turns = countTurns()
    const searching = Promise.all([1, 2, 3].map(() => snippets.page(needles)()))
    const page = await Promise.race([searching, snippets.page(firstPage())()])
    expect(page).to.deep.equal(right(naivePage(made, firstPage())))
    await searching
    expect(turns.current()).to.be.at.least(3)
    await turns.stop()
  })

  it('tests several rows in a turn of the event loop', async () => {
    const { snippets } = await filled(4800)
    const turns = countTurns()
    // each reading of the clock takes a millisecond; the margin allows several readings for a row
    must(await onClock(1, snippets.page(needles)))
    expect(turns.current()).to.be.at.most(150)
    await turns.stop()
  })
})

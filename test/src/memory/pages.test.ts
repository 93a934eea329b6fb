import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { Order } from '@snippets/domain/ordering.js'
import { windowOf } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { naiveMatches, naivePage } from '../contracts/storage/model.js'
import { anOrdering, describeShape, everyShape, firstPage } from '../support/queries.js'
import { changes, draft, must } from '../support/snippets.js'

const count = 5_000
const size = 100

const byTitle: Order = { field: 'title', direction: 'asc' }
const newestFirst: Order = { field: 'created_at', direction: 'desc' }

/** Has runs of equal times, languages and titles that are longer than a page, and single ones between them. */
const draftOf = (i: number) =>
  draft({
    title: i % 3 === 0 ? `title ${(i * 7919) % count}` : `title ${i % 7}`,
    language: `language ${i % 4}`,
    created_at: i % 5 === 0 ? i : Math.floor(i / 900),
  })

const expectTiled = async (snippets: SnippetStore, kept: readonly Snippet[]) => {
  for (const shape of everyShape) {
    const filter = {
      ...(shape.filtered.includes('language') && { language: 'language 1' }),
      ...(shape.filtered.includes('title') && { title: 'title 1' }),
    }
    const query = { filter, ordering: shape.ordering }
    const wanted = naiveMatches(kept, query)
    const items: Snippet[] = []
    for (let page = 1; page <= Math.ceil(wanted.length / size) + 1; page++) {
      items.push(...must(await snippets.page({ ...query, window: windowOf(page, size) })()).items)
    }
    expect(items.length).to.equal(wanted.length)
    const wrong = items.findIndex((item, i) => item !== wanted[i])
    expect(wrong, describeShape(shape)).to.equal(-1)
  }
}

describe('Pages of thousands of snippets in memory', () => {
  it('tile the matches in every order, also after many writes', async () => {
    const { snippets } = memoryStorage({ users: [] })
    const created: Snippet[] = []
    for (let i = 0; i < count; i++) created.push(must(await snippets.create(draftOf(i))()))
    await expectTiled(snippets, created)

    const kept: Snippet[] = []
    for (const [i, snippet] of created.entries()) {
      if (i % 4 === 0 || (i > 1000 && i < 2500)) must(await snippets.delete(snippet.id, anyRevision)())
      else if (i % 4 === 1)
        kept.push(must(await snippets.update(snippet.id, changes({ title: `title ${i % 9}` }), anyRevision)()))
      else kept.push(snippet)
    }
    await expectTiled(snippets, kept)
  }).timeout(30_000)

  it('tile the matches in an order that is first asked for after deletions, and in one that is asked for throughout', async () => {
    const { snippets } = memoryStorage({ users: [] })
    const asked = { filter: {}, ordering: anOrdering([byTitle, newestFirst]), window: windowOf(1, size) }
    let kept: readonly Snippet[] = []
    for (let i = 0; i < 3_000; i++) {
      kept = [...kept, must(await snippets.create(draftOf((i * 7919) % count))())]
      if (i % 100 === 0) {
        const [{ id }] = must(await snippets.page(asked)()).items as [Snippet]
        must(await snippets.delete(id, anyRevision)())
        kept = kept.filter(other => other.id !== id)
        expect(must(await snippets.page(asked)())).to.deep.equal(naivePage(kept, asked))
      }
    }
    await expectTiled(snippets, kept)
  }).timeout(30_000)

  it('tile snippets from before and after the clock is set back', async () => {
    const { snippets } = memoryStorage({ users: [] })
    const created: Snippet[] = []
    for (let i = 0; i < 1_500; i++) {
      const raw = { title: `title ${i % 5}`, language: `language ${i % 2}`, created_at: i < 1_000 ? i : i - 600 }
      created.push(must(await snippets.create(draft(raw))()))
      if (i === 999 || i === 1_000) await expectTiled(snippets, created)
    }
    await expectTiled(snippets, created)
  }).timeout(30_000)

  it('hold the same objects as the storage, so that nothing is copied', async () => {
    const { snippets } = memoryStorage({ users: [] })
    const created = must(await snippets.create(draft())())
    expect(must(await snippets.page(firstPage())()).items[0]).to.equal(created)
    expect(must(await snippets.get(created.id)())).to.equal(created)
  })
})

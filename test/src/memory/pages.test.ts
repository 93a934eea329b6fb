import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { allShapes, type SnippetQuery } from '@snippets/domain/page.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { naivePage } from '../contracts/storage/model.js'
import { changes, draft, must } from '../support/snippets.js'

const count = 5_000
const size = 100

/** With runs of equal moments, languages and titles that are longer than a page, and single ones between them. */
const draftOf = (i: number) =>
  draft({
    title: i % 3 === 0 ? `title ${(i * 7919) % count}` : `title ${i % 7}`,
    language: `language ${i % 4}`,
    created_at: i % 5 === 0 ? i : Math.floor(i / 900),
  })

const expectTiled = async (snippets: SnippetStore, kept: readonly Snippet[]) => {
  for (const shape of allShapes()) {
    const filter = {
      ...(shape.equal.includes('language') && { language: 'language 1' }),
      ...(shape.equal.includes('title') && { title: 'title 1' }),
    }
    const query: SnippetQuery = { filter, ordering: shape.ordering, window: { page: 1, size: count } }
    const wanted = naivePage(kept, query)
    const items: Snippet[] = []
    for (let page = 1; page <= Math.ceil(wanted.count / size) + 1; page++) {
      items.push(...must(await snippets.page({ ...query, window: { page, size } })()).items)
    }
    expect(items.length).to.equal(wanted.count)
    const wrong = items.findIndex((item, i) => item !== wanted.items[i])
    expect(wrong, JSON.stringify(shape)).to.equal(-1)
  }
}

describe('The pages of thousands of snippets in memory', () => {
  it('tile them in every order, also after many writes', async () => {
    const { snippets } = memoryStorage({ users: [] })
    const created: Snippet[] = []
    for (let i = 0; i < count; i++) created.push(must(await snippets.create(draftOf(i))()))
    await expectTiled(snippets, created)

    const kept: Snippet[] = []
    for (const [i, snippet] of created.entries()) {
      if (i % 4 === 0 || (i > 1000 && i < 2500)) must(await snippets.delete(snippet.id, none)())
      else if (i % 4 === 1)
        kept.push(must(await snippets.update(snippet.id, changes({ title: `title ${i % 9}` }), none)()))
      else kept.push(snippet)
    }
    await expectTiled(snippets, kept)
  }).timeout(30_000)

  it('hold the very snippets that the storage holds, so that what is known of one can be remembered', async () => {
    const { snippets } = memoryStorage({ users: [] })
    const created = must(await snippets.create(draft())())
    const query: SnippetQuery = { filter: {}, ordering: [], window: { page: 1, size: 1 } }
    expect(must(await snippets.page(query)()).items[0]).to.equal(created)
    expect(must(await snippets.get(created.id)())).to.equal(created)
  })
})

import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { openForSuite } from '../../support/storage/open-storage.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

/** Enough for three batches. */
const streamSize = 1200

export const streamContract = (harness: StorageHarness): void => {
  describe('all()', () => {
    let created: readonly Snippet[] = []
    const storage = openForSuite(harness, {}, async storage => {
      created = await createMany(storage, streamSize)
    })

    it('yields every snippet once, by ascending id, to each of several readers', async () => {
      const [one, other] = await Promise.all([everything(storage().snippets), everything(storage().snippets)])
      for (const rows of [one, other]) expectRows(rows, created)
    })

    it('yields several batches', async () => {
      const sizes: number[] = []
      for await (const batch of storage().snippets.all()) sizes.push(must(batch).length)
      expect(Math.max(...sizes)).to.be.at.most(streamSize / 2)
    })

    it('shows creates, updates and deletes to the next reader', async () => {
      const { snippets } = storage()
      const { id } = must(await snippets.create(draft({ title: 'later' }))())
      const updated = must(await snippets.update(id, changes({ title: 'new' }), anyRevision, now)())
      expectRows(await everything(snippets), [...created, updated])
      must(await snippets.delete(id, anyRevision)())
      expectRows(await everything(snippets), created)
    })

    it('yields each snippet that is not deleted exactly once, in order, while others are written between batches', async () => {
      const { snippets } = storage()
      const gone = new Set<bigint>()
      const seen: Snippet[] = []
      for await (const batch of snippets.all()) {
        seen.push(...must(batch))
        const at = created.findIndex(({ id }) => id === seen.at(-1)?.id)
        if (at < 0) continue
        // the last snippet read and its neighbours, a snippet far ahead, and the first snippet
        for (const { id } of [at - 1, at, at + 1, at + 300, 0].flatMap(i => created[i] ?? [])) {
          await snippets.delete(id, anyRevision)()
          gone.add(id)
        }
        for (const { id } of created.slice(at + 2, at + 3))
          await snippets.update(id, changes({ title: 'edited' }), anyRevision, now)()
        must(await snippets.create(draft({ title: 'new' }))())
      }

      const ids = seen.map(({ id }) => id)
      expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
      const seenById = new Map(seen.map(snippet => [snippet.id, snippet]))
      for (const snippet of created) {
        const found = seenById.get(snippet.id)
        if (found === undefined) expect(gone.has(snippet.id), `${snippet.id} is missing`).to.equal(true)
        else expect(found).to.be.deep.oneOf([snippet, { ...snippet, title: 'edited', version: 2 }])
      }
    })
  })
}

/** Compares each row by itself, because chai abbreviates the difference of long lists. */
const expectRows = (rows: readonly Snippet[], expected: readonly Snippet[]): void => {
  for (const [i, row] of rows.entries()) expect(row, `row ${i}`).to.deep.equal(expected[i])
  expect(rows).to.have.length(expected.length)
}

export const everything = async (snippets: SnippetStore): Promise<readonly Snippet[]> => {
  const seen: Snippet[] = []
  for await (const batch of snippets.all()) seen.push(...must(batch))
  return seen
}

/** Creates 20 at a time, which every storage accepts. */
export const createMany = async ({ snippets }: OpenStorage, count: number): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  while (created.length < count) {
    const next = Array.from({ length: 20 }, (_, i) => snippets.create(draft({ title: `${created.length + i}` }))())
    created.push(...(await Promise.all(next)).map(must))
  }
  return created.sort((a, b) => (a.id < b.id ? -1 : 1))
}

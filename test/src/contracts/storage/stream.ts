import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { changes, draft, must } from '../../support/snippets.js'
import { openForSuite, withStorage } from './open-storage.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

export const streamContract = (harness: StorageHarness): void => {
  const { streamSize = 1_200 } = harness

  describe('all', () => {
    let created: readonly Snippet[] = []
    const storage = openForSuite(harness, {}, async storage => {
      created = await createMany(storage, streamSize)
    })

    it('yields every snippet once, by ascending id', async () => {
      expect(await everything(storage().snippets)).to.deep.equal(created)
    })

    it('yields batches that are not empty and at most half of the collection', async () => {
      const sizes: number[] = []
      for await (const batch of storage().snippets.all()) sizes.push(must(batch).length)
      expect(Math.max(...sizes)).to.be.at.most(streamSize / 2)
      expect(Math.min(...sizes)).to.be.at.least(1)
    })

    it('starts from the beginning for each of several readers', async () => {
      const [one, other] = await Promise.all([everything(storage().snippets), everything(storage().snippets)])
      expect(one).to.deep.equal(created)
      expect(other).to.deep.equal(created)
    })

    it('ends when its reader leaves early', async () => {
      for await (const batch of storage().snippets.all()) {
        expect(must(batch)[0]).to.deep.equal(created[0])
        break
      }
      const batches = storage().snippets.all()[Symbol.asyncIterator]()
      await batches.next()
      await batches.return?.()
      expect((await batches.next()).done).to.equal(true)
    })

    it('shows creates and deletes to the next reader', async () => {
      const { id } = must(await storage().snippets.create(draft({ title: 'later' }))())
      expect((await everything(storage().snippets)).at(-1)?.id).to.equal(id)
      must(await storage().snippets.delete(id, anyRevision)())
      expect(await everything(storage().snippets)).to.deep.equal(created)
    })

    it(
      'yields nothing from an empty storage',
      withStorage(harness, {}, async ({ snippets }) => {
        expect(await everything(snippets)).to.deep.equal([])
      }),
    )

    it(
      'yields a snippet that exists throughout exactly once, in order, while others are written between batches',
      withStorage(harness, {}, async storage => {
        const created = await createMany(storage, streamSize)
        const writer = writerBetweenBatches(storage, created)
        const seen: Snippet[] = []
        for await (const batch of storage.snippets.all()) {
          seen.push(...must(batch))
          await writer.writeNear(seen.at(-1))
        }
        expect(writer.rounds()).to.be.greaterThan(1)

        const ids = seen.map(({ id }) => id)
        expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
        const seenById = new Map(seen.map(snippet => [snippet.id, snippet]))
        for (const snippet of created) {
          const found = seenById.get(snippet.id)
          if (found === undefined) expect(writer.gone.has(snippet), `${snippet.id} is missing`).to.equal(true)
          else if (writer.edited.has(snippet))
            expect(found).to.be.deep.oneOf([snippet, { ...snippet, title: 'edited', version: 2 }])
          else expect(found).to.deep.equal(snippet)
        }
      }),
    )

    it(
      'ends when everything is deleted during the stream',
      withStorage(harness, {}, async storage => {
        const created = await createMany(storage, streamSize)
        const batches = storage.snippets.all()[Symbol.asyncIterator]()
        expect((await batches.next()).done).to.equal(false)
        for (let i = 0; i < created.length; i += 20) {
          await Promise.all(
            created.slice(i, i + 20).map(async ({ id }) => must(await storage.snippets.delete(id, anyRevision)())),
          )
        }
        let more = 0
        while (!(await batches.next()).done) more++
        expect(more).to.be.lessThan(streamSize)
      }),
    )
  })
}

/** Everything that the stream yields, as one list. */
export const everything = async (snippets: SnippetStore): Promise<readonly Snippet[]> => {
  const seen: Snippet[] = []
  for await (const batch of snippets.all()) seen.push(...must(batch))
  return seen
}

/** A hundred at a time, which any storage can be expected to take. */
const createMany = async ({ snippets }: OpenStorage, count: number): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  while (created.length < count) {
    const next = Array.from({ length: 100 }, (_, i) => snippets.create(draft({ title: `${created.length + i}` }))())
    created.push(...(await Promise.all(next)).map(must))
  }
  return created.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Deletes and edits snippets around the last one that was read, and creates a few. */
const writerBetweenBatches = ({ snippets }: OpenStorage, created: readonly Snippet[]) => {
  const gone = new Set<Snippet>()
  const edited = new Set<Snippet>()
  let rounds = 0

  const writeNear = async (last: Snippet | undefined): Promise<void> => {
    rounds++
    const at = created.findLastIndex(({ id }) => last !== undefined && id <= last.id)
    // the last one read and its neighbours, one far ahead, and the first of all
    for (const i of [at - 1, at, at + 1, at + 300, 0]) {
      const snippet = created[i]
      if (snippet === undefined || gone.has(snippet)) continue
      must(await snippets.delete(snippet.id, anyRevision)())
      gone.add(snippet)
    }
    const next = created[at + 2]
    if (next !== undefined && !gone.has(next)) {
      must(await snippets.update(next.id, changes({ title: 'edited' }), anyRevision)())
      edited.add(next)
    }
    if (rounds <= 3) must(await snippets.create(draft({ title: 'new' }))())
  }

  return { writeNear, gone, edited, rounds: () => rounds }
}

import type { SnippetStore } from '@snippets/domain/ports.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { changes, draft, must } from '../../support/snippets.js'
import { openedOnce, withStorage } from './opened.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

/** All that the stream brings, as one list. */
export const everything = async (snippets: SnippetStore): Promise<readonly Snippet[]> => {
  const seen: Snippet[] = []
  for await (const batch of snippets.all()) seen.push(...must(batch))
  return seen
}

const count = 1_200

/** Many at a time, and never more than a storage can be expected to take in at once. */
const createMany = async ({ snippets }: OpenStorage): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  while (created.length < count) {
    const next = Array.from({ length: 100 }, (_, i) => snippets.create(draft({ title: `${created.length + i}` }))())
    created.push(...(await Promise.all(next)).map(must))
  }
  return created.sort(byId)
}

const byId = (a: Snippet, b: Snippet): number => (a.id < b.id ? -1 : 1)

export const streamContract = (harness: StorageHarness): void => {
  describe('streams', () => {
    let created: readonly Snippet[] = []
    const storage = openedOnce(harness, {}, async storage => {
      created = await createMany(storage)
    })

    it('every snippet once, by ascending id', async () => {
      expect(await everything(storage().snippets)).to.deep.equal(created)
    })

    it('in batches that are small against the collection, none of them empty', async () => {
      const sizes: number[] = []
      for await (const batch of storage().snippets.all()) sizes.push(must(batch).length)
      expect(Math.max(...sizes)).to.be.at.most(count / 2)
      expect(Math.min(...sizes)).to.be.at.least(1)
    })

    it('to several readers, each from the beginning', async () => {
      const [one, other] = await Promise.all([everything(storage().snippets), everything(storage().snippets)])
      expect(one).to.deep.equal(created)
      expect(other).to.deep.equal(created)
    })

    it('no further when a reader leaves early', async () => {
      for await (const batch of storage().snippets.all()) {
        expect(must(batch)[0]).to.deep.equal(created[0])
        break
      }
      const batches = storage().snippets.all()[Symbol.asyncIterator]()
      await batches.next()
      await batches.return?.()
      expect((await batches.next()).done).to.equal(true)
    })

    it('again what is there then', async () => {
      const { id } = must(await storage().snippets.create(draft({ title: 'later' }))())
      expect((await everything(storage().snippets)).at(-1)?.id).to.equal(id)
      must(await storage().snippets.delete(id, none)())
      expect(await everything(storage().snippets)).to.deep.equal(created)
    })
  })

  describe('streams, where there are writes between batches,', () => {
    it(
      'everything that is there from beginning to end, once and by ascending id',
      withStorage(harness, {}, async storage => {
        const created = await createMany(storage)
        const seen: Snippet[] = []
        const gone = new Set<Snippet>()
        const edited = new Set<Snippet>()
        let steps = 0
        for await (const batch of storage.snippets.all()) {
          seen.push(...must(batch))
          steps++
          const last = seen.at(-1)
          const behind = created.findLastIndex(({ id }) => last !== undefined && id <= last.id)
          // the last one seen and its neighbours, one far ahead, and the first of all
          for (const i of [behind - 1, behind, behind + 1, behind + 300, 0]) {
            const snippet = created[i]
            if (snippet === undefined || gone.has(snippet)) continue
            must(await storage.snippets.delete(snippet.id, none)())
            gone.add(snippet)
          }
          const next = created[behind + 2]
          if (next !== undefined && !gone.has(next)) {
            must(await storage.snippets.update(next.id, changes({ title: 'edited' }), none)())
            edited.add(next)
          }
          if (steps <= 3) must(await storage.snippets.create(draft({ title: 'new' }))())
        }
        expect(steps).to.be.greaterThan(1)

        const ids = seen.map(({ id }) => id)
        expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
        const byId = new Map(seen.map(snippet => [snippet.id, snippet]))
        for (const snippet of created) {
          const found = byId.get(snippet.id)
          if (found === undefined) expect(gone.has(snippet), `${snippet.id} is missing`).to.equal(true)
          else if (edited.has(snippet))
            expect(found).to.be.deep.oneOf([snippet, { ...snippet, title: 'edited', version: 2 }])
          else expect(found).to.deep.equal(snippet)
        }
      }),
    )

    it(
      'to an end, also when all is deleted meanwhile',
      withStorage(harness, {}, async storage => {
        const created = await createMany(storage)
        const batches = storage.snippets.all()[Symbol.asyncIterator]()
        expect((await batches.next()).done).to.equal(false)
        for (let i = 0; i < created.length; i += 100) {
          await Promise.all(
            created.slice(i, i + 100).map(async ({ id }) => must(await storage.snippets.delete(id, none)())),
          )
        }
        let more = 0
        while (!(await batches.next()).done) more++
        expect(more).to.be.lessThan(count)
      }),
    )

    it(
      'nothing of an empty storage',
      withStorage(harness, {}, async ({ snippets }) => {
        expect(await everything(snippets)).to.deep.equal([])
      }),
    )
  })
}

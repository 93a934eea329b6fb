import { effectiveOrders, type SnippetQuery, windowOf } from '@snippets/domain/page.js'
import type { Position, Side } from '@snippets/domain/position.js'
import { anyRevision } from '@snippets/domain/revision.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { byId, describeShape, everyShape, sortedBy } from '../../support/queries.js'
import { anId, changes, must } from '../../support/snippets.js'
import { naiveMatches, naivePage } from './model.js'
import { openForSuite, withStorage } from './open-storage.js'
import { createAll, drafts, filterOf } from './pages.js'
import type { StorageHarness } from './storage-contract.js'

type Shape = Pick<SnippetQuery, 'filter' | 'ordering'>

/** What the order of a query needs to know of a snippet, and no more. */
export const positionOf = (shape: Shape, { id, created_at, title }: Snippet): Position => {
  const fields = effectiveOrders(shape).map(({ field }) => field)
  return { id, ...(fields.includes('created_at') && { created_at }), ...(fields.includes('title') && { title }) }
}

const size = 7

/** Pages beside a position. */
export const positionsContract = (harness: StorageHarness): void => {
  describe('page beside a position', () => {
    let snippets: readonly Snippet[] = []
    const storage = openForSuite(harness, {}, async storage => {
      snippets = await createAll(storage, drafts)
    })

    const read = async (shape: Shape, side: Side, position: Position) => {
      const query = { ...shape, window: windowOf(1, size), seek: { side, position } }
      const page = await storage().snippets.page(query)()
      expect(page).to.deep.equal(right(naivePage(snippets, query)))
      return must(page)
    }

    for (const shape of everyShape) {
      it(`leads through ${describeShape(shape)}, to the end and back`, async () => {
        const query = { filter: filterOf(shape), ordering: shape.ordering }
        const all = naiveMatches(snippets, query)
        const forth = [must(await storage().snippets.page({ ...query, window: windowOf(1, size) })()).items]
        for (let last = forth[0]?.at(-1), hasMore = true; last && hasMore; last = forth.at(-1)?.at(-1)) {
          const page = await read(query, 'after', positionOf(query, last))
          forth.push(page.items)
          hasMore = page.hasMore === true
        }
        expect(forth.flat()).to.deep.equal(all)
        const back = [forth.at(-1) ?? []]
        for (let first = back[0]?.[0], hasMore = true; first && hasMore; first = back[0]?.[0]) {
          const page = await read(query, 'before', positionOf(query, first))
          back.unshift(page.items)
          hasMore = page.hasMore === true
        }
        expect(back.filter(({ length }) => length > 0)).to.deep.equal(forth.filter(({ length }) => length > 0))
      })
    }

    it('does not depend on the number of the page', async () => {
      const position = { id: snippets[40]?.id ?? anId(1n) }
      const query = {
        filter: {},
        ordering: byId,
        window: windowOf(1000, size),
        seek: { side: 'after', position },
      } as const
      expect(await storage().snippets.page(query)()).to.deep.equal(right(naivePage(snippets, query)))
    })

    it('needs no snippet there', async () => {
      const nowhere: readonly Position[] = [
        { id: anId(2n ** 63n - 1n), created_at: 0, title: '' },
        { id: anId(1n), created_at: -8.64e15, title: '\u0000' },
        { id: anId(45n), created_at: 8.64e15, title: '\u{10ffff}'.repeat(100) },
        { id: anId(45n), created_at: 1_750_000_000_001, title: '\ue001' },
        { id: anId(2n ** 53n + 1n), created_at: 1_750_000_000_001, title: 'a' },
        { id: anId(1n), created_at: 1_750_000_000_002, title: '$a' },
      ]
      for (const position of nowhere)
        for (const { filtered, ordering } of everyShape)
          for (const side of ['after', 'before'] as const)
            await read({ filter: filterOf({ filtered, ordering }), ordering }, side, position)
      const nobody = { filter: { language: 'none', title: 'none' }, ordering: sortedBy('-created_at') }
      expect(await read(nobody, 'after', { id: anId(1n), created_at: 0 })).to.include({ count: 0, hasMore: false })
      expect(
        await read({ ...nobody, filter: { title: 'none' } }, 'before', { id: anId(90n), created_at: 9e12 }),
      ).to.include({
        count: 0,
        hasMore: false,
      })
    })

    it(
      'follows what its snippet was, also after that has been changed or deleted',
      withStorage(harness, {}, async storage => {
        const created = await createAll(storage, drafts.slice(0, 40))
        const [deleted, renamed] = [created[10], created[20]] as [Snippet, Snippet]
        must(await storage.snippets.delete(deleted.id, anyRevision)())
        const now = must(await storage.snippets.update(renamed.id, changes({ title: '\uffffz' }), anyRevision)())
        const kept = created.flatMap(snippet => (snippet === deleted ? [] : snippet === renamed ? [now] : [snippet]))
        for (const { ordering } of everyShape)
          for (const side of ['after', 'before'] as const)
            for (const snippet of [deleted, renamed]) {
              const position = positionOf({ filter: {}, ordering }, snippet)
              const query = { filter: {}, ordering, window: windowOf(1, 9), seek: { side, position } }
              expect(await storage.snippets.page(query)()).to.deep.equal(right(naivePage(kept, query)))
            }
      }),
    )
  })
}

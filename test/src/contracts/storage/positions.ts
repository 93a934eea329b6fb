import { anyRevision } from '@snippets/domain/entities/revision.js'
import { maxInstant, minInstant, type Snippet } from '@snippets/domain/entities/snippet.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { makeWindow, type SnippetQuery, sortKeysOf } from '@snippets/domain/queries/page.js'
import type { Position, Side } from '@snippets/domain/queries/position.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { describeShape, everyShape } from '../../support/queries.js'
import { anId, changes, must } from '../../support/snippets.js'
import { naiveMatches, naivePage } from '../../support/storage/model.js'
import { itOnNewStorage, openForSuite } from '../../support/storage/open-storage.js'
import { createAll, drafts, filterOf, searches } from './pages.js'
import type { OpenStorage, StorageHarness } from './storage-contract.js'

type Listed = Pick<SnippetQuery, 'filter' | 'ordering'>

/** Returns the position of a snippet in the order of a query. */
const positionOf = (listed: Listed, snippet: Snippet): Position => ({
  id: snippet.id,
  ...Object.fromEntries(sortKeysOf(listed).map(({ field }) => [field, snippet[field]])),
})

const sides: readonly Side[] = ['after', 'before']

const positionAt = (id: bigint, time: number, text: string): Position => ({
  id: anId(id),
  ...Object.fromEntries(orderingFields.map(field => [field, field.endsWith('_at') ? time : text])),
})

const unoccupied: readonly Position[] = [
  positionAt(2n ** 63n - 1n, 0, ''),
  positionAt(45n, maxInstant, '\u{10ffff}'.repeat(100)),
  positionAt(45n, 1_750_000_000_001, '\ue001'),
  positionAt(2n ** 53n + 1n, 1_750_000_000_001, 'a'),
  positionAt(1n, minInstant, '$a'),
]

export const positionsContract = (harness: StorageHarness): void => {
  const itOnNew = itOnNewStorage(harness)
  describe('page() before and after a position', () => {
    let snippets: readonly Snippet[] = []
    const storage = openForSuite(harness, {}, async storage => {
      snippets = await createAll(storage, drafts)
    })

    for (const shape of everyShape)
      it(`returns the nearest matches of ${describeShape(shape)}, with and without a search`, async () => {
        for (const search of searches) {
          const listed = { filter: { ...filterOf(shape), ...search }, ordering: shape.ordering }
          const matches = naiveMatches(snippets, listed)
          const sampled = matches.filter((_, i) => i % 30 === 0 || i === matches.length - 1)
          for (const position of [...sampled.map(snippet => positionOf(listed, snippet)), ...unoccupied])
            await expectPagesAround(storage(), snippets, listed, position)
        }
      })

    itOnNew(
      'returns the same neighbours after the snippet at the position was changed or deleted',
      {},
      async storage => {
        const created = await createAll(storage, drafts.slice(0, 40))
        const [deleted, renamed] = [created[10], created[20]] as [Snippet, Snippet]
        must(await storage.snippets.delete(deleted.id, anyRevision)())
        const now = must(await storage.snippets.update(renamed.id, changes({ title: '\uffffz' }), anyRevision)())
        const kept = created.flatMap(snippet => (snippet === deleted ? [] : snippet === renamed ? [now] : [snippet]))
        for (const { ordering } of everyShape.filter(({ filtered }) => filtered.length === 0))
          for (const snippet of [deleted, renamed]) {
            const listed = { filter: {}, ordering }
            await expectPagesAround(storage, kept, listed, positionOf(listed, snippet))
          }
      },
    )
  })
}

const expectPagesAround = async (
  storage: OpenStorage,
  snippets: readonly Snippet[],
  listed: Listed,
  position: Position,
): Promise<void> => {
  for (const side of sides) {
    const query = { ...listed, window: makeWindow(1000, 7), seek: { side, position } }
    expect(await storage.snippets.page(query)()).to.deep.equal(right(naivePage(snippets, query)))
  }
}

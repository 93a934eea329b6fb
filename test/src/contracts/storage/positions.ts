import { maxInstant, minInstant, type Snippet } from '@snippets/domain/entities/snippet.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { makeWindow, type SnippetQuery, sortKeysOf } from '@snippets/domain/queries/page.js'
import type { Position, Side } from '@snippets/domain/queries/position.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { describeShape, everyShape } from '../../support/queries.js'
import { anId } from '../../support/snippets.js'
import { naiveMatches, naivePage } from '../../support/storage/model.js'
import { openForSuite } from '../../support/storage/open-storage.js'
import { createAll, drafts, filterOf, searches } from './pages.js'
import type { StorageHarness } from './storage-contract.js'

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
            for (const side of sides) {
              const query = { ...listed, window: makeWindow(1000, 7), seek: { side, position } }
              expect(await storage().snippets.page(query)()).to.deep.equal(right(naivePage(snippets, query)))
            }
        }
      })
  })
}

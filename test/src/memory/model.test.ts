import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import type { Filter } from '@snippets/domain/queries/filter.js'
import { type Ordering, type OrderingField, orderingFields, type SortKey } from '@snippets/domain/queries/ordering.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import type { Seek } from '@snippets/domain/queries/position.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { everything } from '../contracts/storage/stream.js'
import { anOrdering, aSearch, everyShape } from '../support/queries.js'
import { character, fieldValues } from '../support/samples.js'
import { anId, changes, draft, must } from '../support/snippets.js'
import { naivePage } from '../support/storage/model.js'

/** Mostly one of a few texts, so that many are equal and many are found. */
const text = (...few: readonly string[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...few) },
    { weight: 1, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 5 }) },
  )
const title = text('a', 'a\u0000', 'ab', '\ue000', '😀', '\uffff')
const language = text('c', 'C', '😀')
const fields = fc.record({ ...fieldValues, title, code: text('x', 'y', 'a x', 'X\u0000', 'Σ'), language })
const moment = fc.constantFrom(1, 2, 1_750_000_000_000)

const order = (field: OrderingField): fc.Arbitrary<SortKey> =>
  fc.record({ field: fc.constant(field), direction: fc.constantFrom('asc' as const, 'desc' as const) })
const ordering: fc.Arbitrary<Ordering> = fc
  .tuple(...orderingFields.map(order))
  .chain(orders => fc.shuffledSubarray(orders))
  .map(anOrdering)
const sortValues = { created_at: moment, title } satisfies Record<OrderingField, unknown>
const seek: fc.Arbitrary<Seek> = fc.record({
  side: fc.constantFrom('after' as const, 'before' as const),
  position: fc.record({ ...sortValues, id: fc.integer({ min: 1, max: 40 }).map(id => anId(BigInt(id))) }),
})
const search = fc.constantFrom('x', 'A', 'a x', '"a x"', '😀', 'ς', '"\u0000"', '.').map(aSearch)
const filters: { readonly [F in keyof Filter]-?: fc.Arbitrary<NonNullable<Filter[F]>> } = { title, language, search }
const query: fc.Arbitrary<SnippetQuery> = fc.record(
  {
    filter: fc.record(filters, { requiredKeys: [] }),
    ordering,
    window: fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9 }))
      .map(numbers => makeWindow(...numbers)),
    seek,
  },
  { requiredKeys: ['filter', 'ordering', 'window'] },
)

/** `of` picks one of the ids that were assigned, or the next. */
const of = fc.nat()
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), fields, moment }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      of,
      fields: fields.chain(all => fc.subarray(Object.entries(all)).map(some => Object.fromEntries(some))),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), of }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('page' as const), query }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer A> ? A : never

const play = async (operations: readonly Operation[]): Promise<void> => {
  const { snippets, heldBytes } = memoryStorage({ users: [] })
  const kept = new Map<bigint, Snippet>()
  const expectPage = async (query: SnippetQuery): Promise<void> => {
    expect(await snippets.page(query)()).to.deep.equal(right(naivePage([...kept.values()], query)))
  }
  let created = 0n
  for (const operation of operations) {
    if (operation.kind === 'page') await expectPage(operation.query)
    else if (operation.kind === 'create') {
      const content = draft({ ...operation.fields, created_at: operation.moment })
      const snippet = firstVersion(anId(++created), content)
      expect(await snippets.create(content)()).to.deep.equal(right(snippet))
      kept.set(snippet.id, snippet)
    } else {
      const id = anId((BigInt(operation.of) % (created + 1n)) + 1n)
      const old = kept.get(id)
      if (operation.kind === 'delete') {
        expect(await snippets.delete(id, anyRevision)()).to.deep.equal(old ? right(undefined) : left(notFound))
        kept.delete(id)
      } else {
        const named = changes(operation.fields)
        const updated = old && { ...old, ...named, version: old.version + 1 }
        const expected = updated ? right(updated) : left(notFound)
        expect(await snippets.update(id, named, anyRevision)()).to.deep.equal(expected)
        if (updated) kept.set(id, updated)
      }
    }
  }
  expect(await everything(snippets)).to.deep.equal([...kept.values()])
  const [first] = kept.values()
  for (const { filtered, ordering } of everyShape) {
    const filter = Object.fromEntries(filtered.map(field => [field, first?.[field] ?? 'a']))
    await expectPage({ filter, ordering, window: makeWindow(1, 100) })
  }
  for (const id of kept.keys()) must(await snippets.delete(anId(id), anyRevision)())
  expect(heldBytes()).to.equal(0)
}

describe('The memory storage', () => {
  it('returns the results of a naive model for any sequence of operations, and counts no bytes at the end', async () => {
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 60, size: 'max' }), play), { numRuns: 60 })
  }).timeout(30_000)
})

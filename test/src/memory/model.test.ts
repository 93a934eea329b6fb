import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { anyRevision, expectOneOf } from '@snippets/domain/entities/revision.js'
import { firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, stale } from '@snippets/domain/ports/errors.js'
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
import { anId, changes, draft } from '../support/snippets.js'
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

/** `of` picks one of the ids that were assigned, or the next; `versions` are the expected ones, or null for any. */
const target = { of: fc.nat(), versions: fc.option(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 })) }
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), fields, moment }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      ...target,
      fields: fields.chain(all => fc.subarray(Object.entries(all)).map(some => Object.fromEntries(some))),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), ...target }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), ...target }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('page' as const), query }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer A> ? A : never

const play = async (operations: readonly Operation[]): Promise<void> => {
  const { snippets } = memoryStorage({ users: [] })
  let kept: readonly Snippet[] = []
  let created = 0n
  for (const operation of operations) {
    if (operation.kind === 'create') {
      const content = draft({ ...operation.fields, created_at: operation.moment })
      const snippet = firstVersion(anId(++created), content)
      expect(await snippets.create(content)()).to.deep.equal(right(snippet))
      kept = [...kept, snippet]
    } else if (operation.kind === 'page') {
      expect(await snippets.page(operation.query)()).to.deep.equal(right(naivePage(kept, operation.query)))
    } else {
      const id = anId((BigInt(operation.of) % (created + 1n)) + 1n)
      const old = kept.find(snippet => snippet.id === id)
      const { versions } = operation
      const expected =
        versions === null
          ? anyRevision
          : expectOneOf(versions.map(version => ({ version, created_at: old?.created_at ?? 0 })))
      const expectedError =
        old === undefined ? left(notFound) : versions?.includes(old.version) === false ? left(stale) : undefined

      if (operation.kind === 'get') {
        expect(await snippets.get(id)()).to.deep.equal(old === undefined ? left(notFound) : right(old))
      } else if (operation.kind === 'delete') {
        expect(await snippets.delete(id, expected)()).to.deep.equal(expectedError ?? right(undefined))
        if (expectedError === undefined) kept = kept.filter(snippet => snippet !== old)
      } else {
        const named = changes(operation.fields)
        const updated = old && { ...old, ...named, version: old.version + 1 }
        expect(await snippets.update(id, named, expected)()).to.deep.equal(expectedError ?? right(updated))
        if (expectedError === undefined) kept = kept.flatMap(snippet => (snippet === old ? (updated ?? []) : snippet))
      }
    }
  }
  expect(await everything(snippets)).to.deep.equal(kept)
  for (const shape of everyShape) {
    const first = kept[0]
    const filter = Object.fromEntries(shape.filtered.map(field => [field, first?.[field] ?? 'a']))
    const all = { filter, ordering: shape.ordering, window: makeWindow(1, 100) }
    expect(await snippets.page(all)()).to.deep.equal(right(naivePage(kept, all)))
  }
}

describe('The memory storage', () => {
  it('returns the results of a naive model for any sequence of operations', async () => {
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 60, size: 'max' }), play), { numRuns: 60 })
  }).timeout(30_000)
})

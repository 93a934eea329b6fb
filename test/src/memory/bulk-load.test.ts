import { SnippetTable } from '@snippets/adapters-memory/snippet-table.js'
import { windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { naivePage } from '../contracts/storage/model.js'
import { everyShape } from '../support/queries.js'
import { anId, changes, draft } from '../support/snippets.js'

const row = fc.record({
  gap: fc.bigInt(1n, 3n),
  title: fc.oneof(
    fc.constantFrom('a', 'ab', '\ue000', '😀', '\uffff'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
  ),
  language: fc.constantFrom('c', 'C', 'go'),
  created_at: fc.integer({ min: -2, max: 3 }),
})
const rows = fc.array(row, { maxLength: 150, size: 'max' }).map(parts => {
  let id = 0n
  return parts.map(({ gap, ...content }) => {
    id += gap
    return firstVersion(anId(id), draft(content))
  })
})

const newTable = () => new SnippetTable({ firstId: 1n, ceiling: Number.POSITIVE_INFINITY })

/** By the load, then as creations do. */
const loaded = (snippets: readonly Snippet[], more: readonly Snippet[]): SnippetTable => {
  const table = newTable()
  const half = snippets.length >> 1
  for (const batch of [snippets.slice(0, half), snippets.slice(half)]) table.load(batch)
  table.indexLoaded()
  for (const snippet of more) table.add(snippet)
  return table
}

/** Compares every kind of page, for every pair of filters that the snippets offer. */
const expectSame = (table: SnippetTable, snippets: readonly Snippet[]): void => {
  expect([...table.batches(7)].flat()).to.deep.equal(snippets)
  for (const { filtered, ordering } of everyShape)
    for (const like of [snippets[0], snippets.at(-1)]) {
      const filter = Object.fromEntries(filtered.map(field => [field, like?.[field] ?? 'a']))
      for (const page of [1, 2]) {
        const query = { filter, ordering, window: windowOf(page, 100) }
        expect(table.page(query)).to.deep.equal(naivePage(snippets, query))
      }
    }
}

describe('A table of large ids', () => {
  it('finds and lists each of a thousand that are the same double', () => {
    const snippets = Array.from({ length: 1000 }, (_, i) => firstVersion(anId(2n ** 62n + 513n + BigInt(i)), draft()))
    const table = loaded(snippets.slice(0, 500), snippets.slice(500))
    expect([...table.batches(7)].flat()).to.deep.equal(snippets)
    expect(snippets.filter(({ id }) => isLeft(table.get(id)))).to.deep.equal([])
  })
})

describe('A table that was loaded in bulk', () => {
  it('answers as a naive model does, also after later writes', () => {
    fc.assert(
      fc.property(rows, fc.nat({ max: 20 }), (all, later) => {
        const count = Math.max(0, all.length - later)
        const table = loaded(all.slice(0, count), all.slice(count))
        expectSame(table, all)
        const one = newTable()
        for (const snippet of all) one.add(snippet)
        expect(table.held).to.equal(one.held)

        for (const [i, snippet] of all.entries()) {
          if (i % 3 === 0) table.delete(snippet.id, anyRevision)
          else if (i % 3 === 1)
            table.update(snippet.id, changes({ title: `${snippet.title}!`, language: 'c' }), anyRevision)
        }
        const kept = all.flatMap((snippet, i) => {
          if (i % 3 === 0) return []
          const changed = { ...snippet, ...changes({ title: `${snippet.title}!`, language: 'c' }), version: 2 }
          return i % 3 === 1 ? [changed] : [snippet]
        })
        expectSame(table, kept)
      }),
      { numRuns: 60 },
    )
  }).timeout(30_000)

  it('takes no more than fits', () => {
    const table = new SnippetTable({ firstId: 1n, ceiling: 2500 })
    const snippets = [1n, 2n, 3n].map(id => firstVersion(anId(id), draft()))
    expect(table.load(snippets.slice(0, 2))).to.equal(true)
    expect(table.load(snippets.slice(2))).to.equal(false)
  })
})

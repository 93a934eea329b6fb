import type { SortKey } from '@snippets/domain/queries/ordering.js'
import { compareBy, type SortField } from '@snippets/domain/queries/position.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { character } from '../support/samples.js'
import { anId } from '../support/snippets.js'

describe('Rows', () => {
  const row = (id: bigint, title = '', created_at = 0, language = '') => ({ id: anId(id), title, created_at, language })
  const compare = (keys: readonly SortKey<SortField>[], a = row(1n), b = row(1n)): number =>
    Math.sign(compareBy(keys)(a, b))

  it('sort by the code points of their texts, as UTF-8 sorts', () => {
    // both ends of each range that UTF-16 units sort differently than code points
    const edges = fc.constantFrom(
      ...'\u0000|a|\ud7ff|\ue000|\uffff|\u{10000}|\u{103ff}|\u{10400}|😀|\u{10ffff}'.split('|'),
    )
    const texts = fc.oneof(fc.string({ unit: edges, maxLength: 4 }), fc.string({ unit: character, maxLength: 4 }))
    for (const field of ['title', 'language'] as const)
      fc.assert(
        fc.property(texts, texts, (a, b) => {
          const sign = compare([{ field, direction: 'asc' }], { ...row(1n), [field]: a }, { ...row(1n), [field]: b })
          expect(sign).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)))
        }),
        { numRuns: 1_000 },
      )
  })

  it('sort by each key in its direction, then by the id in the direction of the last', () => {
    const newest = [{ field: 'created_at', direction: 'desc' }] as const
    const titleOfNewest = [...newest, { field: 'title', direction: 'asc' }] as const
    expect(compare([], row(2n), row(10n))).to.equal(-1)
    expect(compare(newest, row(2n), row(10n))).to.equal(1)
    expect(compare(newest, row(1n, '', 2), row(1n, '', 10))).to.equal(1)
    expect(compare(titleOfNewest, row(2n, 'b', 1), row(1n, 'a', 2))).to.equal(1)
    expect(compare(titleOfNewest, row(2n, 'a', 1), row(1n, 'b', 1))).to.equal(-1)
    expect(compare(titleOfNewest, row(1n, 'a', 1), row(2n, 'a', 1))).to.equal(-1)
    expect(compare(titleOfNewest, row(1n, 'a', 1), row(1n, 'a', 1))).to.equal(0)
  })
})

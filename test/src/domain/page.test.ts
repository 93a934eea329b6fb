import { allShapes, type Ordering, offsetOf, shapeOf } from '@snippets/domain/page.js'
import { filterFields, orderingFields } from '@snippets/domain/rules.js'
import { expect } from 'chai'
import * as fc from 'fast-check'

const asc = { direction: 'asc' } as const
const desc = { direction: 'desc' } as const

describe('The shape of a query', () => {
  it('has the filtered fields and the remaining sort keys', () => {
    const ordering: Ordering = [
      { field: 'title', ...desc },
      { field: 'created_at', ...asc },
    ]
    expect(shapeOf({ filter: {}, ordering })).to.deep.equal({ equal: [], ordering })
    expect(shapeOf({ filter: { language: 'c' }, ordering })).to.deep.equal({ equal: ['language'], ordering })
    expect(shapeOf({ filter: { title: 'a', language: 'c' }, ordering })).to.deep.equal({
      equal: ['language', 'title'],
      ordering: [{ field: 'created_at', ...asc }],
    })
  })

  it('counts an empty text as a filter', () => {
    expect(shapeOf({ filter: { title: '' }, ordering: [] })).to.deep.equal({ equal: ['title'], ordering: [] })
  })

  it('is in allShapes for any query', () => {
    const step = (field: (typeof orderingFields)[number]) =>
      fc.constantFrom(...[asc, desc].map(direction => ({ field, ...direction })))
    const ordering = fc.tuple(...orderingFields.map(step)).chain(steps => fc.shuffledSubarray(steps))
    const filter = fc.record({ language: fc.string(), title: fc.string() }, { requiredKeys: [] })
    const shapes = new Set(allShapes().map(shape => JSON.stringify(shape)))
    fc.assert(
      fc.property(filter, ordering, (filter, ordering) => {
        expect(shapes).to.include(JSON.stringify(shapeOf({ filter, ordering })))
      }),
    )
  })
})

describe('allShapes', () => {
  const shapes = allShapes()

  it('has 32 different shapes', () => {
    // 13 orderings by up to two fields, without a filter and for one language; 3 by one field, where a title is filtered on
    expect(shapes).to.have.length(13 + 13 + 3 + 3)
    expect(new Set(shapes.map(shape => JSON.stringify(shape))).size).to.equal(32)
  })

  it('never sorts by a filtered field, nor by one field twice', () => {
    for (const { equal, ordering } of shapes) {
      const fields = [...equal, ...ordering.map(({ field }) => field)]
      expect(new Set(fields).size).to.equal(fields.length)
    }
  })

  it('has every combination of filter fields', () => {
    const held = new Set(shapes.map(({ equal }) => equal.join()))
    expect([...held].sort()).to.deep.equal(['', 'language', 'language,title', 'title'])
    expect(held.size).to.equal(2 ** filterFields.length)
  })
})

describe('The offset of a page', () => {
  it('is the number of items on the pages before it', () => {
    expect(offsetOf({ page: 1, size: 10 })).to.equal(0)
    expect(offsetOf({ page: 2, size: 10 })).to.equal(10)
    expect(offsetOf({ page: 7, size: 3 })).to.equal(18)
  })
})

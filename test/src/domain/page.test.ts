import { idDirectionOf, orderingOf } from '@snippets/domain/ordering.js'
import { effectiveOrders, filteredFields, offsetOf, windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { sortedBy } from '../support/queries.js'

describe('windowOf', () => {
  it('keeps numbers within bounds', () => {
    expect(windowOf(1, 1)).to.deep.equal({ page: 1, size: 1 })
    expect(windowOf(7, 100)).to.deep.equal({ page: 7, size: 100 })
  })

  it('replaces numbers out of bounds by the nearest bound', () => {
    expect(windowOf(3, 101)).to.deep.equal({ page: 3, size: 100 })
    expect(windowOf(0, 0)).to.deep.equal({ page: 1, size: 1 })
    expect(windowOf(-5, -5)).to.deep.equal({ page: 1, size: 1 })
    expect(windowOf(Number.NaN, Number.NaN)).to.deep.equal({ page: 1, size: 1 })
    expect(windowOf(2.9, 2.9)).to.deep.equal({ page: 2, size: 2 })
  })

  it('gives every page an exact offset', () => {
    for (const page of [2 ** 53 - 1, 2 ** 53, 1e300, Number.POSITIVE_INFINITY]) {
      expect(offsetOf(windowOf(page, 100)))
        .to.satisfy(Number.isSafeInteger)
        .and.be.above(1e13)
    }
  })
})

describe('offsetOf', () => {
  it('is the number of items on the pages before', () => {
    expect(offsetOf(windowOf(1, 10))).to.equal(0)
    expect(offsetOf(windowOf(2, 10))).to.equal(10)
    expect(offsetOf(windowOf(7, 3))).to.equal(18)
  })
})

describe('orderingOf', () => {
  const title = { field: 'title', direction: 'asc' } as const
  const newest = { field: 'created_at', direction: 'desc' } as const

  it('accepts each field once, in any order', () => {
    for (const orders of [[], [title], [newest], [title, newest], [newest, title]]) {
      expect(orderingOf(orders)).to.deep.equal(some(orders))
    }
  })

  it('rejects a field that is named twice', () => {
    expect(orderingOf([title, title])).to.deep.equal(none)
    expect(orderingOf([title, newest, { ...title, direction: 'desc' }])).to.deep.equal(none)
  })
})

describe('filteredFields', () => {
  it('are the fields that the filter names, in their own order', () => {
    expect(filteredFields({})).to.deep.equal([])
    expect(filteredFields({ language: 'c' })).to.deep.equal(['language'])
    expect(filteredFields({ title: 'a', language: 'c' })).to.deep.equal(['language', 'title'])
  })

  it('include a field that must be empty', () => {
    expect(filteredFields({ title: '' })).to.deep.equal(['title'])
  })
})

describe('effectiveOrders', () => {
  it('are the sort keys that the filter does not make equal', () => {
    const ordering = sortedBy('-title', 'created_at')
    expect(effectiveOrders({ filter: {}, ordering })).to.deep.equal(ordering)
    expect(effectiveOrders({ filter: { language: 'c' }, ordering })).to.deep.equal(ordering)
    expect(effectiveOrders({ filter: { title: 'a', language: 'c' }, ordering })).to.deep.equal(sortedBy('created_at'))
    expect(effectiveOrders({ filter: { title: '' }, ordering: sortedBy('title') })).to.deep.equal([])
  })
})

describe('idDirectionOf', () => {
  it('is the direction of the last sort key, and ascending without one', () => {
    expect(idDirectionOf(sortedBy())).to.equal('asc')
    expect(idDirectionOf(sortedBy('-created_at'))).to.equal('desc')
    expect(idDirectionOf(sortedBy('title', '-created_at'))).to.equal('desc')
    expect(idDirectionOf(sortedBy('-title', 'created_at'))).to.equal('asc')
  })
})

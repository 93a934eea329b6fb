import { idDirectionOf, orderingOf } from '@snippets/domain/queries/ordering.js'
import { effectiveOrders, filteredFields, offsetOf, windowOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { sortedBy } from '../support/queries.js'

describe('A window', () => {
  it('replaces numbers out of bounds by the nearest bound', () => {
    expect(windowOf(7, 100)).to.deep.equal({ page: 7, size: 100 })
    expect(windowOf(3, 101)).to.deep.equal({ page: 3, size: 100 })
    expect(windowOf(-5, 0)).to.deep.equal({ page: 1, size: 1 })
    expect(windowOf(Number.NaN, Number.NaN)).to.deep.equal({ page: 1, size: 1 })
    expect(windowOf(2.9, 2.9)).to.deep.equal({ page: 2, size: 2 })
  })

  it('begins after the items on the pages before', () => {
    expect(offsetOf(windowOf(1, 10))).to.equal(0)
    expect(offsetOf(windowOf(7, 3))).to.equal(18)
  })

  it('has an exact offset, however far', () => {
    for (const page of [2 ** 53, Number.POSITIVE_INFINITY])
      expect(offsetOf(windowOf(page, 100)))
        .to.satisfy(Number.isSafeInteger)
        .and.be.above(1e13)
  })
})

describe('An ordering', () => {
  const title = { field: 'title', direction: 'asc' } as const
  const newest = { field: 'created_at', direction: 'desc' } as const

  it('names each field at most once, in any order', () => {
    for (const orders of [[], [title, newest], [newest, title]]) expect(orderingOf(orders)).to.deep.equal(some(orders))
    expect(orderingOf([title, newest, { ...title, direction: 'desc' }])).to.deep.equal(none)
  })

  it('gives the id the direction of its last sort key, and ascending without one', () => {
    expect(idDirectionOf(sortedBy())).to.equal('asc')
    expect(idDirectionOf(sortedBy('title', '-created_at'))).to.equal('desc')
    expect(idDirectionOf(sortedBy('-title', 'created_at'))).to.equal('asc')
  })

  it('matters as far as the filter does not make its fields equal', () => {
    const ordering = sortedBy('-title', 'created_at')
    expect(effectiveOrders({ filter: { language: 'c' }, ordering })).to.deep.equal(ordering)
    expect(effectiveOrders({ filter: { title: 'a' }, ordering })).to.deep.equal(sortedBy('created_at'))
    expect(effectiveOrders({ filter: { title: '' }, ordering: sortedBy('title') })).to.deep.equal([])
  })
})

describe('A filter', () => {
  it('has its fields in their own order', () => {
    expect(filteredFields({})).to.deep.equal([])
    expect(filteredFields({ title: '', language: 'c' })).to.deep.equal(['language', 'title'])
  })
})

import { filteredFields } from '@snippets/domain/queries/filter.js'
import { makeOrdering } from '@snippets/domain/queries/ordering.js'
import { makeWindow, offsetOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'

describe('A window', () => {
  it('replaces a number out of bounds with the nearest bound', () => {
    expect(makeWindow(7, 100)).to.deep.equal({ page: 7, size: 100 })
    expect(makeWindow(3, 101)).to.deep.equal({ page: 3, size: 100 })
    expect(makeWindow(-5, 0)).to.deep.equal({ page: 1, size: 1 })
    expect(makeWindow(Number.NaN, Number.NaN)).to.deep.equal({ page: 1, size: 1 })
    expect(makeWindow(2.9, 2.9)).to.deep.equal({ page: 2, size: 2 })
  })

  it('has the size of all earlier pages as its offset', () => {
    expect(offsetOf(makeWindow(1, 10))).to.equal(0)
    expect(offsetOf(makeWindow(7, 3))).to.equal(18)
  })

  it('has an exact offset at the largest page number', () => {
    for (const page of [2 ** 53, Number.POSITIVE_INFINITY])
      expect(offsetOf(makeWindow(page, 100)))
        .to.satisfy(Number.isSafeInteger)
        .and.be.above(1e13)
  })
})

describe('An ordering', () => {
  const title = { field: 'title', direction: 'asc' } as const
  const newest = { field: 'created_at', direction: 'desc' } as const

  it('has each field at most once', () => {
    for (const keys of [[], [title, newest], [newest, title]]) expect(makeOrdering(keys)).to.deep.equal(some(keys))
    expect(makeOrdering([title, newest, { ...title, direction: 'desc' }])).to.deep.equal(none)
  })
})

describe('A filter', () => {
  it('lists its fields in the order of filterFields', () => {
    expect(filteredFields({})).to.deep.equal([])
    expect(filteredFields({ title: '', language: 'c' })).to.deep.equal(['language', 'title'])
  })
})

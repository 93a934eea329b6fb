import { makeWindow, offsetOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'

describe('A window', () => {
  it('replaces a number out of bounds with the nearest bound', () => {
    expect(makeWindow(7, 100)).to.deep.equal({ page: 7, size: 100 })
    expect(makeWindow(3, 101)).to.deep.equal({ page: 3, size: 100 })
    expect(makeWindow(-5, 0)).to.deep.equal({ page: 1, size: 1 })
    expect(makeWindow(Number.NaN, Number.NaN)).to.deep.equal({ page: 1, size: 1 })
    expect(makeWindow(2.9, 2.9)).to.deep.equal({ page: 2, size: 2 })
  })

  it('has an exact offset at the largest page number', () => {
    for (const page of [2 ** 53, Number.POSITIVE_INFINITY])
      expect(offsetOf(makeWindow(page, 100)))
        .to.satisfy(Number.isSafeInteger)
        .and.be.above(1e13)
  })
})

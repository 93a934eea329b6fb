import { editDistance, nearestTo } from '@snippets/domain/values/did-you-mean.js'
import { expect } from 'chai'

const names = ['page', 'page_size', 'language', 'title', 'ordering']

describe('nearestTo', () => {
  for (const [written, meant] of [
    ['langauge', 'language'],
    ['Language', 'language'],
    ['lang', 'language'],
    ['tittle', 'title'],
    ['itle', 'title'],
    ['order_by', 'ordering'],
    ['pagesize', 'page_size'],
    ['pages', 'page'],
    ['ti', undefined],
    ['oder', undefined],
    ['xtitel', undefined],
    ['frobnicate', undefined],
  ] as const)
    it(`finds ${meant ?? 'nothing'} for ${written}`, () => {
      expect(nearestTo(written, names)).to.equal(meant)
    })
})

describe('editDistance', () => {
  it('is how many characters to insert, delete or replace', () => {
    for (const [from, to, distance] of [
      ['', '', 0],
      ['', 'abc', 3],
      ['abc', '', 3],
      ['kitten', 'sitting', 3],
      ['ab', 'ba', 2],
    ] as const)
      expect(editDistance(from, to), `${from} to ${to}`).to.equal(distance)
  })
})

import { didYouMean } from '@snippets/adapters-http/request/did-you-mean.js'
import { expect } from 'chai'

const names = ['page', 'page_size', 'language', 'title', 'ordering']

describe('A message about an unknown name', () => {
  it('suggests the name that the client probably meant', () => {
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
      ['frobnicate', undefined],
    ] as const)
      expect(didYouMean(written, names), written).to.equal(meant === undefined ? '' : `; did you mean ${meant}?`)
  })
})

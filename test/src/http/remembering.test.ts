import { remembering } from '@snippets/adapters-http/request/remembering.js'
import { expect } from 'chai'

describe('remembering', () => {
  const counted = () => {
    let calls = 0
    const make = remembering(text => {
      calls++
      return { text }
    })
    return { make, calls: () => calls }
  }

  it('makes each value once', () => {
    const { make, calls } = counted()
    expect(make('page=1')).to.equal(make('page=1'))
    expect(make('page=2')).to.deep.equal({ text: 'page=2' })
    expect(calls()).to.equal(2)
  })

  it('keeps texts as they are, also those with lone surrogates', () => {
    const { make } = counted()
    for (const text of ['', 'ä=ö', '\ud800', '💡']) expect(make(text)).to.deep.equal({ text })
  })

  it('remembers no long text', () => {
    const { make, calls } = counted()
    make('x'.repeat(257))
    make('x'.repeat(257))
    expect(calls()).to.equal(2)
  })

  it('remembers a bounded number of texts', () => {
    const { make, calls } = counted()
    for (let round = 0; round < 2; round++) for (let i = 0; i < 300; i++) make(String(i))
    expect(calls()).to.be.greaterThan(300)
    make('299')
    const before = calls()
    make('299')
    expect(calls()).to.equal(before)
  })
})

import { codec, faultsOf } from '@snippets/domain/codec.js'
import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

const faultsWith = (decoder: t.Mixed, value: unknown) => {
  const decoded = decoder.decode(value)
  return isLeft(decoded) ? faultsOf(decoded.left) : []
}

const even = codec('even', value =>
  Number(value) % 2 === 0 ? right(Number(value)) : left({ code: 'odd', message: `${value} is odd` }),
)

describe('faultsOf', () => {
  it('gives the reason of the parse function under the name of the field', () => {
    expect(faultsWith(t.type({ a: even, b: even }), { a: 1, b: 2 })).to.deep.equal([
      { name: 'a', code: 'odd', message: '1 is odd' },
    ])
  })

  it('gives every fault, in the order of the fields', () => {
    const names = faultsWith(t.type({ a: even, b: even, c: even }), { c: 1, b: 2, a: 3 }).map(({ name }) => name)
    expect(names).to.deep.equal(['a', 'c'])
  })

  it('joins the names of nested fields', () => {
    expect(faultsWith(t.type({ a: t.type({ b: even }) }), { a: { b: 1 } })[0]?.name).to.equal('a.b')
  })

  it('explains a failure of an io-ts codec, which gives no reason', () => {
    expect(faultsWith(t.type({ a: t.number }), { a: 'x' })).to.deep.equal([
      { name: 'a', code: 'type', message: 'a must be of type number' },
    ])
  })

  it('explains a failure of the value as a whole', () => {
    expect(faultsWith(t.number, 'x')).to.deep.equal([
      { name: '', code: 'type', message: 'the value must be of type number' },
    ])
  })

  it('is not empty even for a codec that fails without an error', () => {
    expect(faultsOf([])).to.have.length(1)
  })
})

describe('codec', () => {
  it('recognises the values that it decodes', () => {
    expect([even.is(2), even.is(3)]).to.deep.equal([true, false])
  })
})

import { codec, faultsOf } from '@snippets/domain/values/codec.js'
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
  it('gives the reasons of the parse functions under the names of the fields, in their order', () => {
    expect(faultsWith(t.type({ a: even, b: even, c: t.type({ d: even }) }), { c: { d: 5 }, b: 2, a: 3 })).to.deep.equal(
      [
        { name: 'a', code: 'odd', message: '3 is odd' },
        { name: 'c.d', code: 'odd', message: '5 is odd' },
      ],
    )
  })

  it('explains a failure of an io-ts codec, which gives no reason', () => {
    for (const [decoder, name, message] of [
      [t.type({ a: t.number }), 'a', 'a must be of type number'],
      [t.number, '', 'the value must be of type number'],
    ] as const)
      expect(faultsWith(decoder, { a: 'x' })).to.deep.equal([{ name, code: 'type', message }])
  })

  it('is not empty even for a codec that fails without an error', () => {
    expect(faultsOf([])).to.deep.equal([{ name: '', code: 'type', message: 'is not valid' }])
  })
})

describe('codec', () => {
  it('recognises the values that it decodes', () => {
    expect([even.is(2), even.is(3)]).to.deep.equal([true, false])
  })
})

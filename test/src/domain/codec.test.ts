import { codec, faultsOf } from '@snippets/domain/values/codec.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

const even = codec<number>('even', value =>
  Number(value) % 2 === 0 ? none : some({ code: 'length', message: `${value} is odd` }),
)

describe('faultsOf', () => {
  it('returns the reasons under the names of their fields, in the order of the fields', () => {
    const decoded = t.type({ a: even, b: even, c: t.type({ d: t.number }) }).decode({ c: { d: 'x' }, b: 2, a: 3 })
    expect(isLeft(decoded) && faultsOf(decoded.left)).to.deep.equal([
      { name: 'a', reason: { code: 'length', message: '3 is odd' } },
      // a codec of io-ts gives no reason
      { name: 'c.d', reason: { code: 'type', message: 'is not valid' } },
    ])
  })
})

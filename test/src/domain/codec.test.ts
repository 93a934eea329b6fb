import { codec, faultsOf } from '@snippets/domain/values/codec.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

const faultsWith = (subject: t.Decoder<unknown, unknown>, value: unknown) => {
  const decoded = subject.decode(value)
  return isLeft(decoded) ? faultsOf(decoded.left) : []
}

const isEven = (value: unknown): boolean => typeof value === 'number' && value % 2 === 0

const even = codec<number>('even', value =>
  isEven(value) ? none : some({ code: 'integer', message: `${value} is odd` }),
)

describe('faultsOf', () => {
  it('returns the reasons under the names of their fields, in the order of the fields', () => {
    expect(faultsWith(t.type({ a: even, b: even, c: t.type({ d: even }) }), { c: { d: 5 }, b: 2, a: 3 })).to.deep.equal(
      [
        { name: 'a', code: 'integer', message: '3 is odd' },
        { name: 'c.d', code: 'integer', message: '5 is odd' },
      ],
    )
  })

  it('explains the failure of a plain io-ts codec', () => {
    for (const [decoder, name, message] of [
      [t.type({ a: t.number }), 'a', 'a must be of type number'],
      [t.number, '', 'the value must be of type number'],
    ] as const)
      expect(faultsWith(decoder, { a: 'x' })).to.deep.equal([{ name, code: 'type', message }])
  })
})

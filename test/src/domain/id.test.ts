import { idFrom, maxId, parseId } from '@snippets/domain/id.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'

describe('An id', () => {
  it('is parsed from its canonical digits', () => {
    for (const [text, id] of Object.entries({
      '1': 1n,
      '9': 9n,
      '10': 10n,
      '9007199254740992': 9007199254740992n,
      '9007199254740993': 9007199254740993n,
      '9223372036854775806': maxId - 1n,
      '9223372036854775807': maxId,
    })) {
      expect(parseId(text), text).to.deep.equal(some(id))
    }
  })

  for (const text of [
    '',
    '0',
    '-1',
    '-0',
    '01',
    '00',
    '+1',
    '1.0',
    '1.',
    '.1',
    '1e3',
    '1n',
    '0x1',
    '0b1',
    '1_000',
    '1,000',
    ' 1',
    '1 ',
    '1\n',
    '\n1',
    'abc',
    '1a',
    'NaN',
    'Infinity',
    '١',
    '１',
    '१',
    '1\u0000',
    '1\u0301',
    '9223372036854775808',
    '9999999999999999999',
    '10000000000000000000',
    '18446744073709551617',
    '1'.repeat(1000),
  ]) {
    it(`is not parsed from ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(parseId(text)).to.deep.equal(none)
    })
  }

  it('is between 1 and 2^63 - 1', () => {
    for (const value of [1n, 2n, 2n ** 53n + 1n, maxId]) expect(idFrom(value)).to.deep.equal(some(value))
    for (const value of [0n, -1n, maxId + 1n, 2n ** 64n + 1n, -(2n ** 63n)]) expect(idFrom(value)).to.deep.equal(none)
  })

  it('survives formatting and parsing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: maxId }), value => {
        expect(parseId(value.toString())).to.deep.equal(some(value))
      }),
    )
  })
})

import { makeId, maxId, parseId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'

describe('An id', () => {
  it('is between 1 and 2^63 - 1', () => {
    expect(maxId).to.equal(9223372036854775807n)
    for (const value of [1n, 2n ** 53n + 1n, maxId]) expect(makeId(value)).to.deep.equal(some(value))
    for (const value of [0n, -1n, maxId + 1n, 2n ** 64n + 1n]) expect(makeId(value)).to.deep.equal(none)
  })

  it('is not parsed from any other text', () => {
    const odd = '0 -1 01 +1 1.0 1e3 1n 0x1 1_000 a1 1a ١ １ 9223372036854775808 10000000000000000001'.split(' ')
    for (const text of ['', ...odd, ' 1', '1\n', '\n1', '1\u0000', '1'.repeat(1000)])
      expect(parseId(text), JSON.stringify(text)).to.deep.equal(none)
  })
})

import { codePointKey } from '@snippets/domain/values/text.js'
import { expect } from 'chai'
import * as fc from 'fast-check'

// both ends of each range that UTF-16 units sort differently than code points
const edges = ['\u0000', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{103ff}', '\u{10400}', '😀', '\u{10ffff}']

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...edges), maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

describe('A code point key', () => {
  const compare = (a: string, b: string): number => {
    const [x, y] = [codePointKey(a), codePointKey(b)]
    return x === y ? 0 : x < y ? -1 : 1
  }

  it('sorts like the UTF-8 bytes of its text', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(compare(a, b)).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 1_000 },
    )
  })
})

import { compareText } from '@snippets/domain/values/text.js'
import { expect } from 'chai'
import * as fc from 'fast-check'

// the ends of the ranges that UTF-16 code units sort differently from code points
const edges = ['\u0000', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{103ff}', '\u{10400}', '😀', '\u{10ffff}']

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...edges), maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

describe('compareText', () => {
  it('sorts by code point', () => {
    const sorted = ['', '\u0000', 'A', 'a', 'a\u0000', 'aa', 'b', 'é', ...edges.slice(2)]
    expect(sorted.toReversed().sort(compareText)).to.deep.equal(sorted)
  })

  it('agrees with comparing UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(compareText(a, b)).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(compareText(a, a)).to.equal(0)
      }),
      { numRuns: 1_000 },
    )
  })
})

import { compareText } from '@snippets/domain/text.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { compareCodePoints } from '../contracts/storage/model.js'

// the ends of the ranges that UTF-16 code units sort differently from code points
const edges = ['\u0000', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{103ff}', '\u{10400}', '😀', '\u{10ffff}']

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...edges), maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

describe('compareText', () => {
  it('sorts by code point', () => {
    const sorted = [
      '',
      '\u0000',
      'A',
      'a',
      'a\u0000',
      'aa',
      'b',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '😀',
      '\u{10ffff}',
    ]
    expect(sorted.toReversed().sort(compareText)).to.deep.equal(sorted)
  })

  it('agrees with comparing arrays of code points', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(Math.sign(compareText(a, b))).to.equal(Math.sign(compareCodePoints(a, b)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('agrees with comparing UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(Math.sign(compareText(a, b))).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds a text equal only to itself', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(compareText(a, a)).to.equal(0)
        expect(compareText(a, b) === 0).to.equal(a === b)
      }),
    )
  })
})

import { timestampOf } from '@snippets/adapters-http/answer/timestamp.js'
import { expect } from 'chai'
import fc from 'fast-check'

const farthest = 8_640_000_000_000_000

describe('The text of a time', () => {
  it('is what toISOString makes of it, from one moment to another', () => {
    const instant = fc.integer({ min: -farthest, max: farthest })
    fc.assert(
      fc.property(fc.array(instant), instants => {
        expect(instants.map(timestampOf)).to.deep.equal(instants.map(each => new Date(each).toISOString()))
      }),
    )
  })

  for (const instant of [0, -1, 999, 1000, 59_999, 86_399_999, 86_400_000, -86_400_000, farthest, -farthest])
    it(`is right at ${instant}`, () => {
      expect(timestampOf(instant)).to.equal(new Date(instant).toISOString())
    })
})

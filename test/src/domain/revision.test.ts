import { anyRevision, exclude, expectOneOf, isExpected, noRevision } from '@snippets/domain/entities/revision.js'
import { expect } from 'chai'

const revision = { created_at: 5, version: 3 }
const earlier = { created_at: 5, version: 1 }
const older = { created_at: 4, version: 3 }

describe('An expectation', () => {
  it('of an empty list accepts no revision', () => {
    expect(expectOneOf([])).to.deep.equal(noRevision)
  })

  it('with exceptions accepts every other revision, and collects further exceptions', () => {
    const expected = exclude(exclude(anyRevision, [earlier]), [older])
    expect([earlier, older, revision].map(each => isExpected(expected, each))).to.deep.equal([false, false, true])
  })

  it('of listed revisions with exceptions accepts the remaining ones', () => {
    expect(exclude(expectOneOf([revision, earlier, older]), [earlier, older])).to.deep.equal(expectOneOf([revision]))
    expect(exclude(expectOneOf([earlier]), [earlier])).to.deep.equal(noRevision)
    expect(exclude(noRevision, [revision])).to.deep.equal(noRevision)
  })
})

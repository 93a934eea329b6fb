import { anyRevision, isExpected, noRevision, oneOf } from '@snippets/domain/revision.js'
import { expect } from 'chai'

const revision = { created_at: 5, version: 3 }

describe('An expectation', () => {
  it('of any revision is met by every revision', () => {
    expect(isExpected(anyRevision, revision)).to.equal(true)
  })

  it('of no revision is met by none', () => {
    expect(isExpected(noRevision, revision)).to.equal(false)
  })

  it('of one of several is met by these alone', () => {
    const expected = oneOf([{ created_at: 5, version: 1 }, revision])
    expect(isExpected(expected, revision)).to.equal(true)
    expect(isExpected(expected, { created_at: 5, version: 1 })).to.equal(true)
    expect(isExpected(expected, { created_at: 5, version: 2 })).to.equal(false)
    expect(isExpected(expected, { created_at: 6, version: 3 })).to.equal(false)
  })

  it('of one of none is of no revision', () => {
    expect(oneOf([])).to.deep.equal(noRevision)
  })
})

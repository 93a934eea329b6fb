import { anyRevision, except, expectOneOf, isExpected, noRevision } from '@snippets/domain/entities/revision.js'
import { expect } from 'chai'

const revision = { created_at: 5, version: 3 }
const earlier = { created_at: 5, version: 1 }
const older = { created_at: 4, version: 3 }

describe('An expectation', () => {
  it('of any revision is met by every revision, and of no revision by none', () => {
    expect(isExpected(anyRevision, revision)).to.equal(true)
    expect(isExpected(noRevision, revision)).to.equal(false)
  })

  it('of one of several is met by these alone', () => {
    const expected = expectOneOf([earlier, revision])
    expect([revision, earlier].map(each => isExpected(expected, each))).to.deep.equal([true, true])
    expect([older, { ...earlier, version: 2 }].map(each => isExpected(expected, each))).to.deep.equal([false, false])
  })

  it('of one of none is of no revision', () => {
    expect(expectOneOf([])).to.deep.equal(noRevision)
  })

  it('with exceptions is met by every other revision, and keeps them when it gets another', () => {
    const expected = except(except(anyRevision, [earlier]), [older])
    expect([earlier, older, revision].map(each => isExpected(expected, each))).to.deep.equal([false, false, true])
  })

  it('of several with exceptions is met by the others of them', () => {
    expect(except(expectOneOf([revision, earlier, older]), [earlier, older])).to.deep.equal(expectOneOf([revision]))
    expect(except(expectOneOf([earlier]), [earlier])).to.deep.equal(noRevision)
    expect(except(noRevision, [revision])).to.deep.equal(noRevision)
  })

  it('stays as it is without exceptions', () => {
    expect(except(anyRevision, [])).to.deep.equal(anyRevision)
  })
})

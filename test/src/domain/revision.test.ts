import { anyRevision, except, isExpected, noRevision, oneOf } from '@snippets/domain/revision.js'
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

  it('with exceptions is met by every other revision', () => {
    const other = { created_at: 5, version: 1 }
    for (const expected of [except(anyRevision, [other]), except(except(anyRevision, [other]), [other])]) {
      expect(isExpected(expected, revision)).to.equal(true)
      expect(isExpected(expected, other)).to.equal(false)
    }
  })

  it('keeps its exceptions when it gets another', () => {
    const others = [
      { created_at: 5, version: 1 },
      { created_at: 5, version: 2 },
    ]
    const expected = others.reduce((earlier, other) => except(earlier, [other]), anyRevision)
    expect(others.map(other => isExpected(expected, other))).to.deep.equal([false, false])
    expect(isExpected(expected, revision)).to.equal(true)
  })

  it('of several with exceptions is met by the others of them', () => {
    const other = { created_at: 5, version: 1 }
    expect(except(oneOf([revision, other]), [other])).to.deep.equal(oneOf([revision]))
    expect(except(oneOf([other]), [other])).to.deep.equal(noRevision)
  })

  it('of no revision stays so with exceptions', () => {
    expect(except(noRevision, [revision])).to.deep.equal(noRevision)
  })

  it('stays as it is without exceptions', () => {
    expect(except(anyRevision, [])).to.deep.equal(anyRevision)
  })
})

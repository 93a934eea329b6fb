import { applyChanges, firstVersion, snippetFields } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { maxInstant, minInstant } from '../support/samples.js'
import { anId, draft } from '../support/snippets.js'

describe('A snippet', () => {
  const snippet = firstVersion(anId(7n), draft({ title: 't', created_at: 5 }))

  it('has no version after the largest', () => {
    const before = { ...snippet, version: 2 ** 53 - 2 }
    expect(applyChanges(before, {})).to.deep.equal(some({ ...before, version: 2 ** 53 - 1 }))
    expect(applyChanges({ ...snippet, version: 2 ** 53 - 1 }, {})).to.deep.equal(none)
  })

  it('needs a positive integer as version, and a valid time', () => {
    const isVersion = (value: unknown) => isRight(snippetFields.version.decode(value))
    const isTime = (value: unknown) => isRight(snippetFields.created_at.decode(value))
    expect([1, 2 ** 53 - 1].every(isVersion)).to.equal(true)
    expect([0, 1.5, 2 ** 53, '1', null].some(isVersion)).to.equal(false)
    expect([minInstant, 0, maxInstant].every(isTime)).to.equal(true)
    expect([minInstant - 1, maxInstant + 1, 0.5, '0'].some(isTime)).to.equal(false)
  })
})

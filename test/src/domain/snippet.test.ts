import { snippetFields } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { maxInstant, minInstant } from '../support/samples.js'

describe('A snippet', () => {
  it('needs a positive integer as version, and a valid time', () => {
    const isVersion = (value: unknown) => isRight(snippetFields.version.decode(value))
    const isTime = (value: unknown) => isRight(snippetFields.created_at.decode(value))
    expect([1, 2 ** 53 - 1].every(isVersion)).to.equal(true)
    expect([0, 1.5, 2 ** 53, '1', null].some(isVersion)).to.equal(false)
    expect([minInstant, 0, maxInstant].every(isTime)).to.equal(true)
    expect([minInstant - 1, maxInstant + 1, 0.5, '0'].some(isTime)).to.equal(false)
  })
})

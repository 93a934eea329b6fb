import { applyChanges, firstVersion } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { anId, changes, draft } from '../support/snippets.js'

describe('firstVersion', () => {
  it('is version 1 of the draft, under its id', () => {
    const content = draft({ title: 't', created_at: 5 })
    expect(firstVersion(anId(7n), content)).to.deep.equal({ ...content, id: 7n, version: 1 })
  })
})

describe('applyChanges', () => {
  const snippet = firstVersion(anId(7n), draft({ created_at: 5 }))

  it('sets the named fields and adds 1 to the version', () => {
    const after = applyChanges(snippet, changes({ title: 'new' }))
    expect(after).to.deep.equal({ ...snippet, title: 'new', version: 2 })
    expect(snippet.version).to.equal(1)
  })

  it('ignores fields that are undefined, and those that are not content', () => {
    const odd = { title: undefined, ...changes({ code: 'new' }), id: anId(9n), created_at: 9, version: 9 }
    expect(applyChanges(snippet, odd)).to.deep.equal({ ...snippet, code: 'new', version: 2 })
  })
})

import { SnippetGroup, sortingsBy } from '@snippets/adapters-memory/snippet-group.js'
import { expect } from 'chai'

const column = () => ({ values: new Float64Array(64) })

describe('A group of snippets', () => {
  it('keeps no index of the time when it was larger', () => {
    const sortings = sortingsBy({ created_at: column(), title: column(), id: column() }, (a, b) => a - b)
    const group = new SnippetGroup(sortings, { rise: false })
    const slots = Array.from({ length: 40 }, (_, slot) => slot)
    const indexes = () => [group.indexesBy('created_at').length, group.indexesBy('title').length]
    for (const slot of slots) group.insert(slot)
    const many = indexes()
    expect(Math.min(...many)).to.be.greaterThan(0)
    for (const slot of slots.slice(5)) group.remove(slot)
    group.shrink()
    expect(indexes()).to.deep.equal([0, 0])
    for (const slot of slots.slice(5)) group.insert(slot)
    expect(indexes()).to.deep.equal(many)
  })
})

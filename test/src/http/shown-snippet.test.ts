import { snippetRepresentation } from '@snippets/adapters-http/answer/snippet-representation.js'
import { idFrom } from '@snippets/domain/id.js'
import { firstVersion } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { draft } from '../support/snippets.js'

describe('The JSON of a snippet', () => {
  const { show, showWritten } = snippetRepresentation
  const snippet = () => {
    const id = idFrom(1n)
    if (!isSome(id)) throw new Error('1 is an id')
    return firstVersion(id.value, draft())
  }

  it('is remembered when the snippet is read', () => {
    const read = snippet()
    expect(show(read)).to.equal(show(read))
  })

  it('is the same when the snippet has just been written, and is not remembered', () => {
    const written = snippet()
    const first = showWritten(written)
    expect(show(written)).to.deep.equal(first)
    expect(show(written)).not.to.equal(first)
  })
})

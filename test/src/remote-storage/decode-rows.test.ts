import { snippetCodec } from '@snippets/domain/entities/snippet.js'
import { decodeRowsWith, decodeWith } from '@snippets/remote-storage/decode-rows.js'
import { expect } from 'chai'
import { must } from '../support/snippets.js'

describe('The rows of a database', () => {
  const decode = decodeWith(snippetCodec)
  const row = { id: 7n, title: 'Title', code: 'print(1)', language: 'python', created_at: 5, version: 1 }

  it('are decoded without columns that are not fields of a snippet', () => {
    expect(must(decode({ ...row, retry: 'key' }))).to.deep.equal(row)
  })

  it('are Corrupt when they are malformed, left out of lists, and reported', () => {
    const reported: unknown[] = []
    const decodeRows = decodeRowsWith(decode, cause => reported.push(cause))
    for (const fault of [{ title: 7, code: { secret: 1 } }, { id: 0n }, { id: 8 }, { id: 'a text of an author' }]) {
      const stored = { ...row, ...fault }
      expect(decode(stored)).to.have.nested.property('left._tag', 'Corrupt')
      expect(decodeRows([stored, row])).to.deep.equal([row])
    }
    expect(reported.map(String)).to.deep.equal([
      'Error: snippet 7 is stored with a malformed title, code',
      'Error: snippet 0 is stored with a malformed id',
      'Error: snippet 8 is stored with a malformed id',
      'Error: snippet without a numeric id is stored with a malformed id',
    ])
  })
})

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

  const malformed: Readonly<Record<string, object>> = {
    'snippet 7 is stored with a malformed title, code': { ...row, title: 7, code: { secret: 1 } },
    'snippet 0 is stored with a malformed id': { ...row, id: 0n },
    'snippet 8 is stored with a malformed id': { ...row, id: 8 },
    'snippet without a numeric id is stored with a malformed id': { ...row, id: 'a text of an author' },
  }

  for (const [message, stored] of Object.entries(malformed))
    it(`are Corrupt when they are malformed: ${message}`, () => {
      const decoded = decode({ ...stored })
      expect(decoded).to.have.nested.property('left._tag', 'Corrupt')
      expect(decoded).to.have.nested.property('left.cause.message', message)
    })

  it('are left out of lists, and reported, when they are malformed', () => {
    const reported: unknown[] = []
    const rows = Object.values(malformed).flatMap(stored => [{ ...stored }, row])
    const decoded = decodeRowsWith(decode, cause => reported.push(cause))(rows)
    expect(decoded).to.deep.equal(Object.keys(malformed).map(() => row))
    expect(reported.map(cause => (cause as Error).message)).to.deep.equal(Object.keys(malformed))
  })
})

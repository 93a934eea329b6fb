import { createCursorCodec } from '@snippets/adapters-http/request/cursor.js'
import { fingerprintOf } from '@snippets/adapters-http/request/idempotency-key.js'
import { snippetJson } from '@snippets/adapters-http/response/snippet-representation.js'
import { encodeRow } from '@snippets/adapters-memory/leveldb/stored-row.js'
import { rowLine } from '@snippets/apps/transfer/ndjson.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { byId, sortedBy } from '../support/queries.js'
import { anId, draft } from '../support/snippets.js'

describe('A field with a number of 64 bits', () => {
  const large = 2n ** 63n - 1n
  /** A snippet of a later version, whose title is such a number. */
  const snippet = Object.assign(firstVersion(anId(1n), draft({ created_at: 5 })), { title: large })

  it('is written as text to rows, backups and responses', () => {
    const row = Object.assign({ kind: 'snippet' as const }, { entity: snippet })
    for (const text of [encodeRow(snippet), rowLine(row), snippetJson(snippet)])
      expect(text).to.contain(`"title":"${large}"`)
  })

  it('has a fingerprint and a cursor of its own', () => {
    expect(fingerprintOf({ size: large })).to.not.equal(fingerprintOf({ size: large - 1n }))
    const { cursorOf } = createCursorCodec({ filter: {}, ordering: sortedBy('title') })
    const [cursor, other] = [large, large - 1n].map(title => cursorOf(Object.assign({}, snippet, { title })))
    expect(cursor).to.not.equal(other)
    const ofFilter = ({ title }: Pick<typeof snippet, 'title'>) =>
      createCursorCodec({ filter: { title }, ordering: byId }).cursorOf(snippet)
    expect(ofFilter(snippet)).to.not.equal(ofFilter(Object.assign({}, snippet, { title: large - 1n })))
  })
})

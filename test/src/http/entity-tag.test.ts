import { revisionOf } from '@snippets/adapters-http/response/entity-tag.js'
import { expect } from 'chai'

describe('An entity tag', () => {
  it('names the revision of a snippet, or none if no snippet can have it', () => {
    expect(revisionOf('"-1-2"')).to.deep.equal([{ created_at: -1, version: 2 }])
    // MongoDB stores the time 1970 for a number that is not a time
    for (const tag of ['"9007199254740991-1"', '"253402300800000-1"', '"1-9007199254740992"'])
      expect(revisionOf(tag), tag).to.deep.equal([])
  })
})

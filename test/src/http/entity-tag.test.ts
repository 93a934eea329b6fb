import { revisionsIn } from '@snippets/adapters-http/formats/entity-tag.js'
import { expect } from 'chai'

describe('An entity tag', () => {
  it('holds a revision only if a snippet can have this revision', () => {
    expect(revisionsIn('"-1-2"')).to.deep.equal([{ created_at: -1, version: 2 }])
    // MongoDB would store 1970 instead of a number that is no time
    for (const tag of ['"9007199254740991-1"', '"253402300800000-1"', '"1-9007199254740992"'])
      expect(revisionsIn(tag), tag).to.deep.equal([])
  })
})

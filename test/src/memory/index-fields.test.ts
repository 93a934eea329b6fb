import { everyIndexKey, indexFor, nameOf } from '@snippets/adapters-memory/index-fields.js'
import { expect } from 'chai'
import { everyShape } from '../support/queries.js'

describe('The indexes in memory', () => {
  const lists = everyIndexKey().map(nameOf)

  it('are fourteen', () => {
    expect(lists).to.have.members([
      '',
      'created_at',
      'title',
      'created_at,title',
      '-created_at,title',
      'title,created_at',
      '-title,created_at',
      'language',
      'language,created_at',
      'language,title',
      'language,created_at,title',
      'language,-created_at,title',
      'language,title,created_at',
      'language,-title,created_at',
    ])
  })

  it('serve every way to filter and sort', () => {
    for (const { filtered, ordering } of everyShape) {
      expect(lists).to.include(nameOf(indexFor(filtered, ordering).key))
    }
  })
})

import { everyFieldList } from '@snippets/adapters-memory/index-fields.js'
import { expect } from 'chai'
import { everyShape } from '../support/queries.js'

describe('The indexes in memory', () => {
  const lists = everyFieldList().map(fields => fields.join())

  it('are ten', () => {
    expect(lists).to.have.members([
      '',
      'created_at',
      'title',
      'created_at,title',
      'title,created_at',
      'language',
      'language,created_at',
      'language,title',
      'language,created_at,title',
      'language,title,created_at',
    ])
  })

  it('serve every way to filter and sort', () => {
    for (const { filtered, ordering } of everyShape) {
      expect(lists).to.include([...filtered, ...ordering.map(({ field }) => field)].join())
    }
  })
})

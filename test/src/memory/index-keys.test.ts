import { everyIndexKey, nameOf, planOf } from '@snippets/adapters-memory/index-keys.js'
import { expect } from 'chai'
import { everyShape } from '../support/queries.js'

describe('The indexes in memory', () => {
  const names = everyIndexKey().map(nameOf)

  it('are seven for each group', () => {
    expect(names.map(name => name.trim())).to.have.members([
      '',
      'created_at',
      'title',
      'created_at title',
      'created_at -title',
      'title created_at',
      'title -created_at',
    ])
  })

  it('serve every way to filter and sort', () => {
    for (const { filtered, ordering } of everyShape) {
      const filter = Object.fromEntries(filtered.map(field => [field, 'a']))
      const { grouped, ranged, key } = planOf({ filter, ordering })
      expect(names).to.include(nameOf(key))
      expect([...grouped, ...ranged]).to.have.members(filtered)
      expect(key.slice(0, ranged.length).map(({ field }) => field)).to.deep.equal(ranged)
    }
  })
})

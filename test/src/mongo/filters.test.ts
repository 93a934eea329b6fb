import { filterOf } from '@snippets/adapters-mongo/snippets/snippet-pages.js'
import { matcherOfFilter } from '@snippets/domain/queries/filter.js'
import { expect } from 'chai'
import { Query } from 'mingo'
import { drafts, filterBy } from '../contracts/storage/pages.js'
import { filterNames } from '../support/queries.js'

describe('The MongoDB filter', () => {
  for (const names of [...filterNames.map(name => [name]), filterNames])
    it(`of ${names.join(', ')} matches the same snippets as the filter of the domain`, () => {
      const filter = filterBy(names)
      const query = new Query(filterOf(filter))
      expect(drafts.filter(draft => query.test(draft))).to.deep.equal(drafts.filter(matcherOfFilter(filter)))
    })
})

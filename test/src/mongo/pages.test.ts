import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { type Filter, windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { byId } from '../support/queries.js'
import { anId, draft, must } from '../support/snippets.js'

describeMongo('Pages in MongoDB', engine => {
  let database: TestDatabase
  let storage: MongoStorage

  before(async () => {
    database = freshDatabase(engine)
    storage = await openPrepared(database.url)
  })

  after(async () => {
    await storage.close()
    await database.drop()
  })

  const read = async (filter: Filter, page: number, size: number) => {
    const found = must(await storage.snippets.page({ filter, ordering: byId, window: windowOf(page, size) })())
    return { count: found.count, items: found.items.length }
  }

  it('are empty before anything is stored', async () => {
    expect(await read({}, 1, 10)).to.deep.equal({ count: 0, items: 0 })
    expect(await read({ language: 'none' }, 4, 10)).to.deep.equal({ count: 0, items: 0 })
  })

  it('have an exact count, full or not and also past the end, as rows come and go', async () => {
    for (let round = 1; round <= 4; round++) {
      await Promise.all(
        Array.from({ length: 60 }, (_, i) => storage.snippets.create(draft({ language: i % 2 ? 'odd' : 'even' }))()),
      )
      for (let id = 60 * round - 59; id <= 60 * round - 20; id++) {
        must(await storage.snippets.delete(anId(BigInt(id)), anyRevision)())
      }
      const all = await database.db.collection('snippets').find().toArray()
      for (const filter of [{}, { language: 'odd' }, { language: 'none' }]) {
        const count = all.filter(({ language }) => (filter.language ?? language) === language).length
        expect(await read(filter, 1, 7)).to.deep.equal({ count, items: Math.min(7, count) })
        expect(await read(filter, 1, 100)).to.deep.equal({ count, items: count })
        expect(await read(filter, 50, 7)).to.deep.equal({ count, items: 0 })
        expect(await read(filter, Number.MAX_SAFE_INTEGER, 100)).to.deep.equal({ count, items: 0 })
      }
    }
  })
})

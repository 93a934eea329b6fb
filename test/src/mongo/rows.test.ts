import { openDatabaseRows } from '@snippets/adapters-mongo/database-rows.js'
import { expect } from 'chai'
import { rowStoreContract } from '../contracts/storage/row-store-contract.js'
import { describeMongo, freshDatabase, mongoForEach, openPrepared } from '../support/mongo/database.js'
import { must } from '../support/snippets.js'

describeMongo('MongoDB', engine =>
  rowStoreContract('MongoDB', {
    create: async () => {
      const { url, drop } = freshDatabase(engine)
      const openRows = openDatabaseRows(url)
      return { openSource: openRows, openTarget: openRows, openStorage: () => openPrepared(url), remove: drop }
    },
  }),
)

describeMongo('The rows of a MongoDB database', engine => {
  const { url, collection, closing } = mongoForEach(engine)

  it('that are malformed are named by id and field', async () => {
    await collection().insertOne({ _id: 1n })
    const store = closing(must(await openDatabaseRows(url())()))
    const rows = []
    for await (const row of must(await store.snapshot()).rows) rows.push(row)
    expect(rows).to.have.length(1)
    expect(rows[0])
      .to.have.nested.property('left.reason')
      .that.matches(/^snippet 1 is stored with a malformed title, /)
  })
})

import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { expect } from 'chai'
import { rowStoreContract } from '../contracts/storage/row-store-contract.js'
import { describeMongo, describeWithDatabase, freshDatabase, openPrepared } from '../support/mongo/database.js'
import { must } from '../support/snippets.js'

const rowsAt = (url: string) => ({ openSource: openMongoRows(url), openTarget: openMongoRows(url) })

describeMongo('MongoDB', engine =>
  rowStoreContract('MongoDB', {
    isShared: true,
    create: async () => {
      const { url, drop } = freshDatabase(engine)
      return { ...rowsAt(url), openStorage: users => openPrepared(url, { users }), remove: drop }
    },
    unreachable: async () => rowsAt('mongodb://127.0.0.1:1/'),
  }),
)

describeWithDatabase('The rows of a MongoDB database', ({ url, collection, closing }) => {
  it('that are malformed are named by id and field', async () => {
    await collection().insertOne({ _id: 1n })
    const store = closing(must(await openMongoRows(url())()))
    const rows = []
    for await (const row of must(await store.snapshot()).rows) rows.push(row)
    expect(rows).to.have.length(1)
    expect(rows[0])
      .to.have.nested.property('left.reason')
      .that.matches(/^snippet 1 is stored with a malformed title, /)
  })
})

import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { expect } from 'chai'
import { failureOf, rowStoreContract } from '../contracts/storage/row-store-contract.js'
import { describeMongo, freshDatabase, mongoForEach, openPrepared } from '../support/mongo/database.js'
import { must } from '../support/snippets.js'

describeMongo('MongoDB', engine =>
  rowStoreContract('MongoDB', {
    create: async () => {
      const { url, drop } = freshDatabase(engine)
      const openRows = openMongoRows(url)
      return { openSource: openRows, openTarget: openRows, openStorage: () => openPrepared(url), remove: drop }
    },
  }),
)

describeMongo('The rows of a MongoDB database', engine => {
  const { url, db, closing } = mongoForEach(engine)

  it('that are malformed are named by id and field', async () => {
    await db().collection<Readonly<{ _id: bigint }>>('snippets').insertOne({ _id: 1n })
    const store = closing(must(await openMongoRows(url())()))
    const rows = []
    for await (const row of must(await store.snapshot()).rows) rows.push(row)
    expect(rows).to.have.length(1)
    expect(rows[0])
      .to.have.property('left')
      .that.matches(/^snippet 1 is stored with a malformed title, /)
  })
})

describe('The rows of a MongoDB that does not answer', () => {
  it('cannot be opened, and the error shows no password', async () => {
    const opened = openMongoRows('mongodb://me:secret@127.0.0.1:1/?serverSelectionTimeoutMS=500')
    expect(await failureOf(opened))
      .to.contain('127.0.0.1:1')
      .and.not.include('secret')
  })
})

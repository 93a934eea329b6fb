import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import type { RowResult, RowStore } from '@snippets/domain/ports/row-store.js'
import { expect } from 'chai'
import { failureOf, rowStoreContract, snippetRow } from '../contracts/storage/row-store-contract.js'
import { describeMongo, mongoForEach } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'

describeMongo('The rows of a MongoDB database', engine => {
  const { url, db, open: openStorage, closing } = mongoForEach(engine)
  const open: RowResult<RowStore> = () => openMongoRows(url())()

  describe('in the row store contract', () => rowStoreContract(open))

  it('are served by a storage on the same database, which continues after their last id', async () => {
    const store = must(await open())
    must(await store.add([snippetRow(5n)])())
    must(await store.raiseLastId(anId(20n))())
    must(await store.close())
    const storage = await openStorage()
    expect(must(await storage.snippets.get(anId(5n))())).to.deep.equal(snippetRow(5n).row)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(21n)
  })

  it('that are malformed are named by id and field', async () => {
    await db().collection<Readonly<{ _id: bigint }>>('snippets').insertOne({ _id: 1n })
    const store = closing(must(await open()))
    const rows = []
    for await (const row of store.rows()) rows.push(row)
    expect(rows).to.have.length(1)
    expect(rows[0])
      .to.have.property('left')
      .that.matches(/^snippet 1 is stored with a malformed title, /)
  })
})

describe('The rows of a MongoDB that does not answer', () => {
  it('cannot be opened, and the error shows no password', async () => {
    const opened = openMongoRows('mongodb://me:secret@127.0.0.1:1/?serverSelectionTimeoutMS=50')
    expect(await failureOf(opened))
      .to.contain('127.0.0.1:1')
      .and.not.include('secret')
  })
})

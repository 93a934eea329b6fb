import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { expect } from 'chai'
import { rowStoreContract } from '../contracts/storage/row-store-contract.js'
import {
  describeMongo,
  describeWithDatabase,
  documentOf,
  freshDatabase,
  openPrepared,
} from '../support/mongo/database.js'
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

describeWithDatabase('The rows of a MongoDB database', ({ url, collection, closing, newFront }) => {
  const readAll = async (from: string) => {
    const store = closing(must(await openMongoRows(from)()))
    const rows = []
    for await (const row of must(await store.snapshot()).rows) rows.push(row)
    return rows
  }

  it('that are malformed are named by id and field', async () => {
    await collection().insertOne({ _id: 1n })
    const rows = await readAll(url())
    expect(rows).to.have.length(1)
    expect(rows[0])
      .to.have.nested.property('left.fault')
      .that.matches(/^snippet 1 is stored with a malformed title, /)
  })

  it('that the driver cannot decode end a transfer, and are named by id', async () => {
    const front = await newFront()
    front.spoil({ spoiled: 0xff })
    await collection().insertOne({ ...documentOf(5), title: 'spoiled' })
    const [row] = await readAll(front.url)
    expect(row)
      .to.have.nested.property('left.fault')
      .that.matches(/^snippet 5 is stored in bytes /)
    await collection('users').insertOne({ _id: 7n, username: 'spoiled' })
    const [user] = await readAll(front.url)
    expect(user)
      .to.have.nested.property('left.fault')
      .that.matches(/^user 7 is stored in bytes /)
  })

  it('are no place to copy to if a user is there that the driver cannot decode', async () => {
    const front = await newFront()
    front.spoil({ spoiled: 0xff })
    await collection('users').insertOne({ _id: 'spoiled', spoiled: 'spoiled' })
    const target = closing(must(await openMongoRows(front.url)()))
    expect(await target.begin(0n)())
      .to.have.nested.property('left.fault')
      .that.includes('not empty')
  })
})

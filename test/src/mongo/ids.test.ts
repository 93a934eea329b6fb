import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { countersIn, idCounter } from '@snippets/adapters-mongo/snippets/id-counter.js'
import { snippetsIn } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { expect } from 'chai'
import { Double, Int32, ObjectId } from 'mongodb'
import { describeMongo, mongoForEach } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'

describeMongo('Ids in MongoDB', engine => {
  const { db, open } = mongoForEach(engine)

  const create = async ({ snippets }: MongoStorage): Promise<bigint> => must(await snippets.create(draft())()).id

  const setCounter = (last: unknown) =>
    db().collection<{ _id: string }>('counters').updateOne({ _id: 'snippets' }, { $set: { last } }, { upsert: true })

  it('overwrite no snippet when the counter falls behind the collection', async () => {
    const storage = await open()
    const createMany = () => Promise.all(Array.from({ length: 30 }, () => create(storage)))
    const before = await createMany()
    await setCounter(3n)
    expect(await create(storage)).to.equal(31n)
    await setCounter(3n)
    expect(new Set([...before, ...(await createMany())]).size).to.equal(60)
    expect(await db().collection('snippets').countDocuments()).to.equal(61)
  })

  it('are not assigned twice when an older counter is restored, even before the storage is prepared', async () => {
    await setCounter(3n)
    await db().collection<{ _id: bigint }>('snippets').insertOne({ _id: 10n })
    const { reserve } = idCounter(countersIn(db()), snippetsIn(db()))
    expect(await reserve(1)).to.deep.equal([anId(11n)])
  })

  it('continue after the largest int64 in use when the counter is missing or of another type', async () => {
    await db()
      .collection<{ _id: unknown }>('snippets')
      .insertMany([{ _id: 500n }, { _id: new Double(700.5) }, { _id: new ObjectId() }])
    expect(await create(await open())).to.equal(501n)
    for (const last of [new Double(900), new Int32(1000)]) {
      await setCounter(last)
      expect(await create(await open())).to.equal(BigInt(last.valueOf()) + 1n)
    }
    // an int64 again, which is exact
    expect(await db().collection<{ _id: string }>('counters').findOne({ _id: 'snippets' })).to.include({ last: 1001n })
  })
})

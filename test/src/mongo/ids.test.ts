import { inspect } from 'node:util'
import { createClient } from '@snippets/adapters-mongo/connection/connection.js'
import { createWriteSender } from '@snippets/adapters-mongo/connection/writes.js'
import { type MongoStorage, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { createIdCounter } from '@snippets/adapters-mongo/snippets/id-counter.js'
import { expect } from 'chai'
import { Decimal128, Double, Int32, ObjectId } from 'mongodb'
import { describeWithDatabase } from '../support/mongo/database.js'
import { recordingLog } from '../support/service/logs.js'
import { anId, draft, must } from '../support/snippets.js'

describeWithDatabase('Ids in MongoDB', ({ url, collection, open, closing }) => {
  const create = async ({ snippets }: MongoStorage): Promise<bigint> => must(await snippets.create(draft())()).id

  const setCounter = (last: unknown) =>
    collection('counters').updateOne({ _id: 'snippets' }, { $set: { last } }, { upsert: true })

  it('overwrite no snippet when the counter falls behind the collection', async () => {
    const storage = await open()
    const createMany = () => Promise.all(Array.from({ length: 30 }, () => create(storage)))
    const before = await createMany()
    await setCounter(3n)
    expect(await create(storage)).to.equal(31n)
    await setCounter(3n)
    expect(new Set([...before, ...(await createMany())]).size).to.equal(60)
    expect(await collection().countDocuments()).to.equal(61)
  })

  it('are not assigned twice when an older counter is restored, even before the storage is prepared', async () => {
    await setCounter(3n)
    await collection().insertOne({ _id: 10n })
    const { client, db } = createClient(url())
    closing(client)
    const { reserve, lastId } = createIdCounter(db, createWriteSender(client))
    expect(await lastId()).to.equal(10n)
    expect(await reserve(1, new AbortController().signal)).to.deep.equal([anId(11n)])
  })

  it('continue after the largest number in use, of any numeric type', async () => {
    const ignored = [0.5, Number.NaN, 1e300, 2 ** 63].map(id => new Double(id))
    for (const _id of [...ignored, new Int32(-1), Decimal128.fromString('9223372036854775807.5'), new ObjectId()])
      await collection().insertOne({ _id })
    expect(await create(await open())).to.equal(1n)
    const decimals = ['9.0', '800.5'].map(text => Decimal128.fromString(text))
    for (const largest of [new Int32(5), new Double(7), ...decimals, 900n, new Double(1000.5)]) {
      await collection().insertOne({ _id: largest })
      expect(await create(await open())).to.equal(BigInt(Math.floor(Number(largest))) + 1n)
    }
  })

  it('continue after a counter of another type', async () => {
    for (const last of [new Double(900), new Int32(1000)]) {
      await setCounter(last)
      expect(await create(await open())).to.equal(BigInt(last.valueOf()) + 1n)
    }
    // an int64 again, which is exact
    expect(await collection('counters').findOne({ _id: 'snippets' })).to.include({ last: 1001n })
  })

  it('wait for the operator while the counter is malformed', async () => {
    await setCounter('a text of an operator')
    const { log, warnings } = recordingLog()
    const storage = closing(openMongoStorage({ url: url(), users: [], log }))
    expect(await storage.snippets.create(draft())()).to.have.nested.property('left.outcome', 'unapplied')
    expect(await storage.check()).to.have.property('_tag', 'Left')
    expect(warnings()).to.not.be.empty
    for (const warning of warnings()) expect(inspect(warning)).to.include('the id counter is malformed: set its `last`')
    await setCounter(3n)
    await storage.whenPrepared()
    expect(await create(storage)).to.equal(4n)
    await setCounter({})
    const failed = await storage.snippets.create(draft())()
    expect(failed).to.have.nested.property('left.cause.message').that.includes('set its `last`')
  })
})

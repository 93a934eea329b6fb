import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { maxId } from '@snippets/domain/id.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { Double, ObjectId } from 'mongodb'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'

describeMongo('Ids in MongoDB', engine => {
  let database: TestDatabase
  let open: MongoStorage[]

  beforeEach(() => {
    database = freshDatabase(engine)
    open = []
  })

  afterEach(async () => {
    await Promise.all(open.map(({ close }) => close()))
    await database.drop()
  })

  const start = async (firstId?: bigint): Promise<MongoStorage> => {
    const storage = await openPrepared(database.url, firstId === undefined ? {} : { firstId })
    open.push(storage)
    return storage
  }

  const create = async ({ snippets }: MongoStorage): Promise<bigint> => must(await snippets.create(draft())()).id

  const setCounter = (last: unknown) =>
    database.db.collection<{ _id: string }>('counters').updateOne({ _id: 'snippets' }, { $set: { last } })

  it('start at 1 and grow', async () => {
    const storage = await start()
    expect([await create(storage), await create(storage)]).to.deep.equal([1n, 2n])
  })

  it('are not reused after a delete and a restart', async () => {
    const first = await start()
    const id = await create(first)
    must(await first.snippets.delete(anId(id), anyRevision)())
    expect(await create(await start())).to.equal(2n)
  })

  it('start elsewhere only in a database that has assigned none', async () => {
    expect(await create(await start(40n))).to.equal(40n)
    expect(await create(await start(7n))).to.equal(41n)
    expect(await create(await start(900n))).to.equal(42n)
  })

  it('are unique among clients that create concurrently', async () => {
    const storages = await Promise.all(Array.from({ length: 5 }, () => start()))
    const ids = await Promise.all(storages.flatMap(storage => Array.from({ length: 60 }, () => create(storage))))
    expect(new Set(ids).size).to.equal(300)
    expect(await database.db.collection('snippets').countDocuments()).to.equal(300)
  })

  it('overwrite nothing when the counter falls behind while the service runs', async () => {
    const storage = await start()
    const before = await Promise.all(Array.from({ length: 30 }, () => create(storage)))
    await setCounter(3n)
    const after = await Promise.all(Array.from({ length: 30 }, () => create(storage)))
    expect(new Set([...before, ...after]).size).to.equal(60)
    expect(await database.db.collection('snippets').countDocuments()).to.equal(60)
  })

  it('catch up at once when the counter has fallen far behind', async () => {
    const storage = await start()
    await Promise.all(Array.from({ length: 30 }, () => create(storage)))
    await setCounter(3n)
    expect(await create(storage)).to.equal(31n)
  })

  it('continue after the largest one when the counter was not restored', async () => {
    await database.db.collection<{ _id: bigint }>('snippets').insertOne({ _id: 500n })
    expect(await create(await start())).to.equal(501n)
  })

  it('continue after the largest number, whatever else there is for an id', async () => {
    await database.db.collection<{ _id: unknown }>('snippets').insertMany([{ _id: 500n }, { _id: new ObjectId() }])
    expect(await create(await start())).to.equal(501n)
  })

  it('continue where an operator set the counter by hand', async () => {
    const storage = await start()
    await create(storage)
    await setCounter(new Double(99))
    expect(await create(storage)).to.equal(100n)
    // as an int64 again, which is exact
    expect(await database.db.collection('counters').findOne({})).to.include({ last: 100n })
  })

  it('are exact beyond 2^53', async () => {
    const storage = await start(2n ** 53n)
    expect(await create(storage)).to.equal(2n ** 53n)
    expect(await create(storage)).to.equal(2n ** 53n + 1n)
    expect(must(await storage.snippets.get(anId(2n ** 53n + 1n))()).id).to.equal(2n ** 53n + 1n)
    must(await storage.snippets.delete(anId(2n ** 53n), anyRevision)())
    expect(await database.db.collection('snippets').findOne({})).to.include({ _id: 2n ** 53n + 1n })
  })

  it('are assigned up to 2^63 - 1; after that creates fail and store nothing', async () => {
    const storage = await start(maxId - 6n)
    const answers = await Promise.all(Array.from({ length: 20 }, () => storage.snippets.create(draft())()))
    const ids = answers.filter(isRight).map(({ right }) => right.id)
    expect(new Set(ids)).to.deep.equal(new Set([6n, 5n, 4n, 3n, 2n, 1n, 0n].map(left => maxId - left)))
    const refused = answers.filter(answer => !isRight(answer))
    expect(refused).to.deep.equal(Array(13).fill({ _tag: 'Left', left: { _tag: 'IdsExhausted' } }))

    expect(await storage.snippets.create(draft())()).to.deep.equal({ _tag: 'Left', left: { _tag: 'IdsExhausted' } })
    expect(await database.db.collection('snippets').countDocuments()).to.equal(7)
    expect(await database.db.collection('counters').findOne({})).to.include({ last: maxId })
  })
})

import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { describeMongo, freshDatabase, type TestDatabase } from '../support/mongo/database.js'
import { type ReplicaSetFront, replicaSetFront } from '../support/mongo/replica-set-front.js'

// the front is a stand-in: these tests show that the driver takes it for a replica set
describeMongo('The front that plays a replica set', engine => {
  let database: TestDatabase
  let front: ReplicaSetFront
  let client: MongoClient

  beforeEach(async () => {
    database = freshDatabase(engine)
    front = await replicaSetFront(database.url)
    client = new MongoClient(front.url, { heartbeatFrequencyMS: 1000 })
  })

  afterEach(async () => {
    await client.close()
    front.close()
    await database.drop()
  })

  const rows = () => client.db().collection('rows')

  it('passes commands on to the database', async () => {
    await rows().insertMany([{ n: 1 }, { n: 2 }])
    expect(await rows().findOne({ n: 2 })).to.include({ n: 2 })
  })

  it('is watched with streaming heartbeats', async () => {
    const awaited: boolean[] = []
    client.on('serverHeartbeatSucceeded', event => awaited.push(event.awaited))
    await client.connect()
    await new Promise(resolve => setTimeout(resolve, 2500))
    expect(awaited.filter(Boolean).length).to.be.within(4, 8)
  })

  it('lets the driver carry a write over an election', async () => {
    await rows().insertOne({ n: 1 })
    const elected = front.elect(300)
    await rows().insertOne({ n: 2 })
    await elected
    expect(await database.db.collection('rows').countDocuments()).to.equal(2)
  })

  it('applies a retried write once', async () => {
    await rows().insertOne({ n: 0 })
    front.loseReplies('once')
    expect(await rows().updateOne({}, { $inc: { n: 1 } })).to.include({ modifiedCount: 1 })
    expect(front.commands().filter(name => name === 'update').length).to.equal(2)
    expect(await database.db.collection('rows').findOne({})).to.include({ n: 1 })
  })

  it('holds every message during a pause', async () => {
    await client.connect()
    front.pause()
    let isAnswered = false
    const found = rows()
      .findOne({})
      .then(() => {
        isAnswered = true
      })
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(isAnswered).to.equal(false)
    front.resume()
    await found
  })
})

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { watchWritable } from '@snippets/adapters-mongo/connection/writable-watch.js'
import { expect } from 'chai'
import { MongoClient, type TopologyDescriptionChangedEvent } from 'mongodb'
import { describeMongo, mongoForEach } from '../../support/mongo/database.js'
import { silentLog } from '../../support/service/logs.js'

// guards against undocumented behaviour of the driver: `watchWritable` and `convertTopologyCounters` explain it

describe('watchWritable', () => {
  const watched = () => {
    const client = new MongoClient('mongodb://host')
    let lost = 0
    watchWritable(client, 20, () => lost++)
    /** Emits the event of the driver for a set with members of these types. */
    const describeServers = (...types: readonly string[]) =>
      client.emit('topologyDescriptionChanged', {
        newDescription: { servers: new Map(types.map((type, i) => [`host:${i + 1}`, { type }])) },
      } as unknown as TopologyDescriptionChangedEvent)
    return { describeServers, lost: () => lost }
  }

  it('reports once when no server has been writable for the given time', async () => {
    const { describeServers, lost } = watched()
    describeServers('RSPrimary')
    describeServers('Unknown', 'RSSecondary')
    describeServers('Unknown')
    expect(lost()).to.equal(0)
    await pause(60)
    expect(lost()).to.equal(1)
  })

  for (const type of ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'])
    it(`reports nothing while a server is writable: ${type}`, async () => {
      const { describeServers, lost } = watched()
      describeServers('Unknown')
      describeServers('Unknown', type)
      await pause(60)
      expect(lost()).to.equal(0)
    })
})

describeMongo('A connection', engine => {
  const { db: stored, front: newFront, closing } = mongoForEach(engine)

  it('to a replica set survives an election whose error carries a topologyVersion', async () => {
    const front = await newFront()
    const { client, db, connect } = closing(connectionTo(front.url, silentLog))
    await connect()
    const told = once(client, 'serverDescriptionChanged')
    front.stepDown()
    setTimeout(front.elect, 300)
    await db.collection('rows').insertOne({})
    await told
    expect(await stored().collection('rows').countDocuments()).to.equal(1)
  })

  it('is closed and reopened when it has had no writable server for seconds', async () => {
    const front = await newFront()
    const { client, db, connect } = closing(connectionTo(front.url, silentLog))
    await connect()
    const closed = once(client, 'topologyClosed')
    front.stepDown()
    await closed
    front.elect()
    await connect()
    expect(await db.command({ ping: 1 })).to.include({ ok: 1 })
  })
})

import { type EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { watchWritable } from '@snippets/adapters-mongo/connection/driver-guards.js'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { describeMongo, mongoForEach } from '../../support/mongo/database.js'
import { silentLog } from '../../support/service/logs.js'

describe('watchWritable', () => {
  /** Returns how often it reports a loss when the servers of a set have had these types for a while. */
  const lossesWith = async (...types: readonly string[]): Promise<number> => {
    const client = new MongoClient('mongodb://host')
    let losses = 0
    watchWritable(client, 20, () => losses++)
    const driver: EventEmitter = client
    for (const newest of ['Unknown', ...types]) {
      const servers = new Map([newest, 'Unknown'].map((type, i) => [`host:${i + 1}`, { type }]))
      driver.emit('topologyDescriptionChanged', { newDescription: { servers } })
    }
    await pause(60)
    return losses
  }

  it('reports once after the given time without a writable server', async () => {
    expect(await lossesWith('RSPrimary', 'Unknown', 'RSSecondary')).to.equal(1)
  })

  it('reports nothing while a server is writable', async () => {
    for (const type of ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'])
      expect(await lossesWith(type), type).to.equal(0)
  })
})

describeMongo('A connection to a replica set', engine => {
  const { db: stored, front: newFront, closing } = mongoForEach(engine)

  const connected = async () => {
    const front = await newFront()
    const connection = closing(connectionTo(front.url, silentLog))
    await connection.connect()
    return { front, ...connection }
  }

  it('survives an election whose error carries a topologyVersion', async () => {
    const { front, client, db } = await connected()
    const told = once(client, 'serverDescriptionChanged')
    front.stepDown()
    setTimeout(front.elect, 300)
    await db.collection('rows').insertOne({})
    await told
    expect(await stored().collection('rows').countDocuments()).to.equal(1)
  })

  it('is closed and reopened when it has had no writable server for seconds', async () => {
    const { front, client, db, connect } = await connected()
    const closed = once(client, 'topologyClosed')
    front.stepDown()
    await closed
    front.elect()
    await connect()
    expect(await db.command({ ping: 1 })).to.include({ ok: 1 })
  })
})

import { type EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { watchWritable } from '@snippets/adapters-mongo/connection/driver-guards.js'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { describeMongo, mongoForEach } from '../../support/mongo/database.js'
import { silentLog } from '../../support/service/logs.js'

describe('watchWritable', () => {
  it('reports once after the given time without a writable server', async () => {
    const losses: string[] = []
    for (const newest of ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer', 'RSSecondary', 'Unknown']) {
      const client = new MongoClient('mongodb://host')
      watchWritable(client, 20, () => losses.push(newest))
      const driver: EventEmitter = client
      for (const type of ['Unknown', 'RSPrimary', 'Unknown', newest]) {
        const servers = new Map([type, 'Unknown'].map((type, i) => [`host:${i + 1}`, { type }]))
        driver.emit('topologyDescriptionChanged', { newDescription: { servers } })
      }
    }
    await pause(60)
    expect(losses).to.deep.equal(['RSSecondary', 'Unknown'])
  })
})

describeMongo('A connection to a replica set', engine => {
  const { db: stored, front: newFront, closing } = mongoForEach(engine)

  const connected = async () => {
    const front = await newFront()
    const connection = closing(createConnection(front.url, silentLog))
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

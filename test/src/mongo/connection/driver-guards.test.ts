import { type EventEmitter, once } from 'node:events'
import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { watchPool, watchWritable } from '@snippets/adapters-mongo/connection/driver-guards.js'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { eventually } from '../../support/eventually.js'
import { describeWithDatabase } from '../../support/mongo/database.js'
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

describe('watchPool', () => {
  afterEach(() => mock.restoreAll())

  it('reports once when half of the pool is in use for a second longer than a socket may be idle', () => {
    const clock = mock.method(performance, 'now', () => 0)
    const losses: number[] = []
    for (const limitMs of [0, 5000]) {
      const client = new MongoClient(`mongodb://host/?socketTimeoutMS=${limitMs}`)
      watchPool(client, 4, () => losses.push(limitMs))
      const driver: EventEmitter = client
      const emit = (ms: number, event: string, connectionId?: number): void => {
        clock.mock.mockImplementation(() => ms)
        driver.emit(event, { address: 'host:1', connectionId })
      }
      emit(0, 'connectionCheckedOut', 1)
      emit(0, 'connectionCheckedOut', 2)
      emit(limitMs, 'connectionCheckedOut', 3)
      emit(limitMs + 1000, 'connectionCheckOutStarted')
      emit(limitMs + 1000, 'connectionCheckedIn', 2)
      emit(limitMs + 1001, 'connectionCheckOutStarted')
      expect(losses).to.deep.equal([])
      emit(2 * limitMs + 1001, 'connectionCheckOutStarted')
      emit(2 * limitMs + 1002, 'connectionCheckOutStarted')
    }
    // a limit of 0 is none
    expect(losses).to.deep.equal([5000])
  })
})

describeWithDatabase('A connection to a replica set', ({ newFront, closing }) => {
  const connected = async (options = '') => {
    const front = await newFront()
    const connection = closing(createConnection(front.url + options, silentLog))
    await connection.connect()
    return { front, ...connection }
  }

  it('is closed and reopened when it has had no writable server for seconds', async () => {
    const { front, client, db, connect } = await connected()
    const closed = once(client, 'topologyClosed')
    front.stepDown()
    await closed
    front.elect()
    await connect()
    expect(await db.command({ ping: 1 })).to.include({ ok: 1 })
  })

  it('is closed and reopened when a large write that the network stopped has lost the pool', async () => {
    const { front, db, connect } = await connected('&maxPoolSize=1&socketTimeoutMS=300&waitQueueTimeoutMS=500')
    front.intercept(({ ping }) => (ping ? 'deaf' : undefined))
    await db.command({ ping: 1 })
    front.intercept(() => undefined)
    const rows = Array.from({ length: 32 }, () => ({ text: 'x'.repeat(1_000_000) }))
    db.collection('rows')
      .insertMany(rows)
      .catch(() => {})
    const isBack = () =>
      connect()
        .then(() => db.command({ ping: 1 }))
        .then(() => true)
        .catch(() => false)
    await eventually(isBack)
  })
})

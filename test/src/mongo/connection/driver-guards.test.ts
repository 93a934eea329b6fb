import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { watchHeartbeats } from '@snippets/adapters-mongo/connection/heartbeat-watch.js'
import { expect } from 'chai'
import { MongoClient, type ServerHeartbeatStartedEvent } from 'mongodb'
import { describeMongo, mongoForEach } from '../../support/mongo/database.js'
import { recordingLog, silentLog } from '../../support/service/logs.js'

// guards against undocumented behaviour of the driver: `watchHeartbeats` and `convertTopologyCounters` explain it

describe('watchHeartbeats', () => {
  const connectionId = 'host:1'
  const watched = (connectTimeoutMS = 10) => {
    const options = { ...new MongoClient('mongodb://host').options, connectTimeoutMS, heartbeatFrequencyMS: 1e6 }
    const client = Object.assign(new EventEmitter(), { options })
    let found = 0
    const stuck = new Promise<'stuck'>(resolve =>
      watchHeartbeats(client as unknown as MongoClient, () => {
        found++
        resolve('stuck')
      }),
    )
    const begin = (awaited = false) => client.emit('serverHeartbeatStarted', { connectionId, awaited })
    /** Emits the event of the driver for a set with members of these types. */
    const describeServers = (...types: readonly string[]) =>
      client.emit('topologyDescriptionChanged', {
        newDescription: { servers: new Map(types.map((type, i) => [`host:${i + 1}`, { type }])) },
      })
    const isStuck = (withinMs = 400) => Promise.race([stuck, pause(withinMs, 'not stuck')])
    return { client, begin, describeServers, found: () => found, isStuck }
  }
  type Watched = ReturnType<typeof watched>

  it('reports a stuck heartbeat once', async () => {
    const { begin, describeServers, found, isStuck } = watched()
    begin()
    expect(await isStuck()).to.equal('stuck')
    describeServers('Unknown')
    await new Promise(setImmediate)
    expect(found()).to.equal(1)
  })

  it('reports a stuck heartbeat when no server is writable any more, after the event of the driver has been handled', async () => {
    const { begin, describeServers, found, isStuck } = watched()
    describeServers('RSPrimary', 'RSSecondary')
    begin()
    expect(await isStuck()).to.equal('not stuck')
    describeServers('Unknown', 'RSSecondary')
    expect(found()).to.equal(0)
    expect(await isStuck()).to.equal('stuck')
  })

  const healthy: Readonly<Record<string, (watched: Watched) => void>> = {
    'that succeeds': ({ client }) => client.emit('serverHeartbeatSucceeded', { connectionId }),
    'that fails': ({ client }) => client.emit('serverHeartbeatFailed', { connectionId }),
    'of a closed server': ({ client }) => client.emit('serverClosed', { address: connectionId }),
    'that waits for a change': ({ begin }) => begin(true),
    ...Object.fromEntries(
      ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'].map(type => [
        `beside a writable server (${type})`,
        ({ describeServers }: Watched) => describeServers('Unknown', type, 'RSSecondary'),
      ]),
    ),
  }

  it(`does not report a heartbeat ${Object.keys(healthy).join(' or ')}`, async () => {
    const found = Object.values(healthy).map(trigger => {
      const one = watched()
      one.begin()
      trigger(one)
      return one.isStuck()
    })
    expect(await Promise.all(found)).to.deep.equal(found.map(() => 'not stuck'))
  })

  it('gives a heartbeat twice the timeout if it has to connect first', async () => {
    const { client, begin, isStuck } = watched(400)
    begin()
    expect(await isStuck(800)).to.equal('not stuck')
    client.emit('serverHeartbeatSucceeded', { connectionId })
    begin()
    expect(await isStuck(4000)).to.equal('stuck')
    client.emit('serverHeartbeatFailed', { connectionId })
  })

  it('does not report a heartbeat whose reply arrived while the process was paused', async () => {
    const { client, begin, isStuck } = watched()
    begin()
    await new Promise(setImmediate)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    setTimeout(() => setImmediate(() => client.emit('serverHeartbeatSucceeded', { connectionId })), 0)
    expect(await isStuck()).to.equal('not stuck')
  })

  it('does not watch heartbeats when connectTimeoutMS is 0', () => {
    expect(watched(0).client.eventNames()).to.deep.equal([])
  })
})

describeMongo('A connection', engine => {
  const { db: stored, proxy: newProxy, front: newFront, closing } = mongoForEach(engine)

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

  it('works while a heartbeat is stuck, and is closed and reopened when it loses its server', async () => {
    const proxy = await newProxy()
    const url = `${proxy.url}${proxy.url.includes('?') ? '&' : '?'}connectTimeoutMS=500`
    const { log, lines } = recordingLog()
    const { client, db, connect } = closing(connectionTo(url, log))
    await connect()
    // this heartbeat never ends; it counts as stuck after twice the timeout
    client.emit('serverHeartbeatStarted', { connectionId: 'stuck:1', awaited: false } as ServerHeartbeatStartedEvent)
    await pause(1400)
    expect(await db.command({ ping: 1 })).to.include({ ok: 1 })
    expect(lines).to.deep.equal([])
    const closed = once(client, 'topologyClosed')
    await proxy.start('cut')
    await proxy.restore()
    const failing = db.command({ ping: 1 }).catch(() => {})
    await Promise.all([closed, failing])
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['a heartbeat of the MongoDB driver is stuck; reconnecting'])
    await connect()
    expect(await db.command({ ping: 1 })).to.include({ ok: 1 })
  })
})

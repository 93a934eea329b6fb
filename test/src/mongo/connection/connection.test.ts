import { mock } from 'node:test'
import { createClient, createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { recordingLog } from '../../support/service/logs.js'

describe('A connection to MongoDB', () => {
  it('uses the database in the path of its URL, or else snippets', () => {
    for (const [url, name] of [
      ['mongodb://host', 'snippets'],
      ['mongodb://host/?directConnection=true', 'snippets'],
      ['mongodb://host?tlsCAFile=/etc/ca.pem', 'snippets'],
      ['mongodb://user:p%2Fw@one:1,two:2,three:3/mine?replicaSet=rs0', 'mine'],
      ['mongodb+srv://user:pw@cluster.example.net/mine?retryWrites=true', 'mine'],
    ] as const)
      expect(createConnection(url).db.databaseName, url).to.equal(name)
  })

  it('limits its pool, and lets the URL override other options', () => {
    const usual = createConnection('mongodb://host/')
    expect(usual.client.options).to.include({ appName: 'snippets', maxPoolSize: 50, socketTimeoutMS: 1700 })
    const url = 'mongodb://host/?MAXPOOLSIZE=30&minPoolSize=60&appname=mine&retryWrites=false&sockettimeoutms=900'
    const { client, maxInFlight } = createConnection(url)
    // a `minPoolSize` above `maxPoolSize` would fail every operation
    const expected = { maxPoolSize: 30, minPoolSize: 0, appName: 'mine', retryWrites: false, socketTimeoutMS: 900 }
    expect(client.options).to.include({ ...expected, connectTimeoutMS: 1600 })
    expect(maxInFlight).to.equal(30)
    // the storage needs a limit, also if the pool has none
    expect(createConnection('mongodb://host/?maxPoolSize=0').maxInFlight).to.equal(100)
    expect(createClient(url, { maxPoolSize: 1 }).client.options).to.include({ maxPoolSize: 1, socketTimeoutMS: 900 })
  })

  it('reads an int64 as a Long, also against options of the URL', () => {
    const { client } = createConnection('mongodb://host/?useBigInt64=true&promoteLongs=true')
    expect(client.options).to.include({ promoteLongs: false, useBigInt64: false })
  })

  it('reads and writes with a majority, also against options of the URL', () => {
    const query = 'w=1&journal=false&wtimeoutMS=5&readConcernLevel=local&readPreference=secondary'
    const { db } = createConnection(`mongodb://host/?${query}`)
    const collection = db.collection('snippets')
    expect({ ...collection.writeConcern }).to.deep.equal({ w: 'majority', wtimeoutMS: 1000, wtimeout: 1000 })
    // an index and a batch of a transfer may take longer
    expect({ ...createClient(`mongodb://host/?${query}`).db.writeConcern }).to.deep.equal({ w: 'majority' })
    expect({ ...collection.readConcern }).to.deep.equal({ level: 'majority' })
    expect(collection.readPreference?.mode).to.equal('primary')
  })

  it('rejects options that change replies or pin connections', () => {
    for (const query of ['raw=true', 'promoteValues=false', 'loadBalanced=true'])
      expect(() => createConnection(`mongodb://host/?${query}`)).to.throw(/must not set/)
  })

  it('logs the cause when the driver cannot close it', async () => {
    const { log, warnings } = recordingLog()
    const { close } = openMongoStorage({ url: 'mongodb://127.0.0.1:1', users: [], log })
    const err = new Error('broken')
    const failing = mock.method(MongoClient.prototype, 'close', () => Promise.reject(err))
    await close().finally(() => failing.mock.restore())
    await close()
    const warning = { level: 'warn', msg: 'a connection to MongoDB did not close', err }
    expect(warnings()).to.deep.equal([warning, warning])
  })
})

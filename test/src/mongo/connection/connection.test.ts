import { clientFor, connectionTo, dedicatedOptions } from '@snippets/adapters-mongo/connection/connection.js'
import { storageClosed } from '@snippets/application/remote-storage/operation.js'
import { expect } from 'chai'
import { silentLog } from '../../support/service/logs.js'

describe('A connection to MongoDB', () => {
  const databases = {
    'mongodb://host': 'snippets',
    'mongodb://host/?directConnection=true': 'snippets',
    'mongodb://user:p%2Fw@one:1,two:2,three:3/mine?replicaSet=rs0': 'mine',
    'mongodb+srv://user:pw@cluster.example.net/mine?retryWrites=true': 'mine',
  }

  for (const [url, name] of Object.entries(databases)) {
    it(`uses the database ${name} for ${url}`, () => {
      expect(connectionTo(url, silentLog).db.databaseName).to.equal(name)
    })
  }

  it('limits its pool, and lets the URL override other options', () => {
    const optionsOf = (query: string) => connectionTo(`mongodb://host/?${query}`, silentLog).client.options
    const usual = optionsOf('')
    expect(usual).to.include({ maxPoolSize: 50, minPoolSize: 5, retryWrites: true })
    const named = optionsOf('MAXPOOLSIZE=30&retryWrites=false&sockettimeoutms=900')
    expect(named).to.include({ maxPoolSize: 30, retryWrites: false, socketTimeoutMS: 900, connectTimeoutMS: 1600 })
    // fewer connections stay open if the pool is smaller, and none if it has no limit
    expect(optionsOf('maxPoolSize=3')).to.include({ maxPoolSize: 3, minPoolSize: 3 })
    expect(optionsOf('maxPoolSize=0')).to.include({ maxPoolSize: 0, minPoolSize: 0 })
    // the storage needs a limit, also if the pool has none
    expect(connectionTo('mongodb://host/?maxPoolSize=0', silentLog).maxInFlight).to.equal(100)
  })

  it('reads and writes with a majority whatever the URL says', () => {
    const query = 'w=1&journal=false&wtimeoutMS=5&readConcernLevel=local&readPreference=secondary'
    const { db } = connectionTo(`mongodb://host/?${query}`, silentLog)
    const collection = db.collection('snippets')
    expect({ ...collection.writeConcern }).to.deep.equal({ w: 'majority' })
    expect({ ...collection.readConcern }).to.deep.equal({ level: 'majority' })
    expect(collection.readPreference?.mode).to.equal('primary')
  })

  it('rejects options that change replies or pin connections', () => {
    for (const query of ['raw=true', 'promoteLongs=false', 'promoteValues=false', 'loadBalanced=true'])
      expect(() => connectionTo(`mongodb://host/?${query}`, silentLog)).to.throw(/must not set/)
  })

  it('rejects options that contradict each other', () => {
    for (const query of ['minPoolSize=60', 'minPoolSize=2&maxPoolSize=1', 'maxPoolSize=0&minPoolSize=3'])
      expect(() => connectionTo(`mongodb://host/?${query}`, silentLog)).to.throw(/minPoolSize .* maxPoolSize/)
  })

  it('ignores the pool and timeout of the URL for long work', () => {
    const { client } = clientFor('mongodb://host/?minPoolSize=10&maxPoolSize=30&socketTimeoutMS=900', dedicatedOptions)
    expect(client.options).to.include({ minPoolSize: 0, maxPoolSize: 1, socketTimeoutMS: 0 })
  })

  it('rejects connect() after it was closed', async () => {
    const connection = connectionTo('mongodb://127.0.0.1:1', silentLog)
    await connection.close()
    const rejection = await connection.connect().catch((error: unknown) => error)
    expect(rejection).to.equal(storageClosed)
  })
})

import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import { storageClosed } from '@snippets/adapters-mongo/connection/outage-log.js'
import { expect } from 'chai'
import { silent } from '../support/mongo/database.js'

describe('A connection to MongoDB', () => {
  const databases = {
    'mongodb://host': 'snippets',
    'mongodb://host/': 'snippets',
    'mongodb://host/?directConnection=true': 'snippets',
    'mongodb://host/mine': 'mine',
    'mongodb://user:p%2Fw@one:1,two:2,three:3/mine?replicaSet=rs0': 'mine',
    'mongodb+srv://user:pw@cluster.example.net/mine?retryWrites=true': 'mine',
    'mongodb+srv://cluster.example.net/?retryWrites=true': 'snippets',
  }

  for (const [url, name] of Object.entries(databases)) {
    it(`uses the database ${name} for ${url}`, () => {
      expect(connectionTo(url, silent).db.databaseName).to.equal(name)
    })
  }

  it('writes to a majority and has a bounded pool', () => {
    const { options } = connectionTo('mongodb://host/?w=1', silent).client
    expect(options.writeConcern.w).to.equal('majority')
    expect(options).to.include({ maxPoolSize: 50, minPoolSize: 5, retryWrites: true })
  })

  it('prefers limits that the URL names', () => {
    const { options } = connectionTo(
      'mongodb://host/?MAXPOOLSIZE=30&retryWrites=false&sockettimeoutms=900',
      silent,
    ).client
    expect(options).to.include({ maxPoolSize: 30, retryWrites: false, socketTimeoutMS: 900, connectTimeoutMS: 1600 })
  })

  it('has many operations on their way where the URL gives its pool no limit', () => {
    expect(connectionTo('mongodb://host/?maxPoolSize=0', silent).size).to.equal(100)
  })

  it('refuses what begins after it was closed', async () => {
    const connection = connectionTo('mongodb://127.0.0.1:1', silent)
    await connection.close()
    const refused = await connection.connect().catch((error: unknown) => error)
    expect(refused).to.equal(storageClosed)
  })
})

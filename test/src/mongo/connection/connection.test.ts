import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { ensureIndex } from '@snippets/adapters-mongo/collections/ensure-index.js'
import { clientFor, connectionTo, dedicatedOptions } from '@snippets/adapters-mongo/connection/connection.js'
import { redactError } from '@snippets/application/remote-storage/loggable-error.js'
import { outageLog, storageClosed } from '@snippets/application/remote-storage/outage-log.js'
import { retryPreparation } from '@snippets/application/remote-storage/retry-preparation.js'
import { nodeTimers } from '@snippets/apps/node-timers.js'
import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import { silentLog } from '../../support/service/logs.js'
import { virtualTime } from '../../support/virtual-time.js'

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

  it('always writes to a majority, limits its pool, and lets the URL override other options', () => {
    const optionsOf = (query: string) => connectionTo(`mongodb://host/?${query}`, silentLog).client.options
    const usual = optionsOf('w=1')
    expect(usual.writeConcern.w).to.equal('majority')
    expect(usual).to.include({ maxPoolSize: 50, minPoolSize: 5, retryWrites: true })
    const named = optionsOf('MAXPOOLSIZE=30&retryWrites=false&sockettimeoutms=900')
    expect(named).to.include({ maxPoolSize: 30, retryWrites: false, socketTimeoutMS: 900, connectTimeoutMS: 1600 })
    // fewer connections stay open if the pool is smaller, and none if it has no limit
    expect(optionsOf('maxPoolSize=3')).to.include({ maxPoolSize: 3, minPoolSize: 3 })
    expect(optionsOf('maxPoolSize=0')).to.include({ maxPoolSize: 0, minPoolSize: 0 })
    // the storage needs a limit, also if the pool has none
    expect(connectionTo('mongodb://host/?maxPoolSize=0', silentLog).maxInFlight).to.equal(100)
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

describe('retryPreparation', () => {
  it('logs nothing when it is stopped during an attempt', async () => {
    const time = virtualTime()
    const warnings: string[] = []
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) }
    let tries = 0
    let fail = (_: Error): void => {}
    const { stop } = retryPreparation(
      log,
      nodeTimers,
      () => false,
      () => {
        tries++
        return new Promise((_, reject) => (fail = reject))
      },
    )
    stop()
    fail(new Error('closed'))
    await time.pass(1000)
    time.end()
    expect(warnings).to.deep.equal([])
    expect(tries).to.equal(1)
  })
})

describe('retryPreparation with an error of the database', () => {
  it('doubles its pauses', async () => {
    const time = virtualTime()
    let tries = 0
    const failing = () => {
      tries++
      return Promise.reject(new MongoServerError({ code: 1 }))
    }
    const { stop } = retryPreparation(silentLog, nodeTimers, () => true, failing)
    await time.pass(500 + 1000 + 2000 + 4000 + 50)
    expect(tries).to.equal(5)
    stop()
    time.end()
  })
})

describe('A redacted error', () => {
  const secret = 'a text of an author'
  const errors = [
    new MongoServerError({ message: `Plan executor error :: { title: "${secret}" }`, code: 96 }),
    new MongoServerError({ message: `E11000 dup key: '${secret}'`, code: 11_000 }),
    new Error(`ungültige Eingabe: »${secret}«`),
    new Error(`Invalid field\n${secret}`, { cause: new Error(`command "${secret}"`) }),
  ]

  for (const error of errors)
    it(`ends before the quotation: ${error.message.slice(0, 12)}`, () => {
      const safe = redactError(error)
      expect(inspect(safe, { depth: 5 })).to.not.include(secret)
      expect(safe).to.include({ name: error.name })
      expect(safe.message.length).to.be.above(10)
      expect(safe.stack).to.match(/^at /)
      if (error instanceof MongoServerError) expect(safe).to.include({ code: error.code })
    })

  it('is logged in an outage, when work is repeated, and when an index is rejected', async () => {
    const logged: object[] = []
    const log = { ...silentLog, warn: (fields: object) => void logged.push(fields) }
    for (const error of errors) {
      outageLog(log, nodeTimers).failed(error)
      const trying = retryPreparation(
        log,
        nodeTimers,
        () => true,
        () => Promise.reject(error),
      )
      await new Promise(setImmediate)
      trying.stop()
      const createIndexes = () => Promise.reject(new MongoServerError({ message: error.message, code: 11_000 }))
      await ensureIndex({ createIndexes }, { name: 'title', key: { title: 1 } }, log, '')
    }
    expect(logged).to.have.length(3 * errors.length)
    expect(inspect(logged, { depth: 9 })).to.not.include(secret)
  })
})

describe('An outage of MongoDB', () => {
  it('ends a second after a success, unless a failure follows, and is logged once', async () => {
    const ended: object[] = []
    const { failed, succeeded } = outageLog({ ...silentLog, info: fields => void ended.push(fields) }, nodeTimers)
    failed(new Error('gone'))
    succeeded()
    failed(new Error('gone again'))
    await pause(1200)
    expect(ended).to.deep.equal([])
    succeeded()
    while (ended.length === 0) await pause(20)
    expect(ended).to.have.length(1)
    expect(ended[0]).to.include({ failures: 2 })
  })

  it('logs each kind of cause once', () => {
    const warned: unknown[] = []
    const { failed } = outageLog({ ...silentLog, warn: fields => void warned.push(fields) }, nodeTimers)
    const rejection = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    for (const cause of [rejection, rejection, new MongoServerError({ code: 8000 }), rejection]) failed(cause)
    expect(warned).to.have.length(2)
  })

  it('does not begin when the storage is closed', () => {
    const warned: string[] = []
    const { failed } = outageLog({ ...silentLog, warn: (_, message) => void warned.push(message) }, nodeTimers)
    failed(storageClosed)
    expect(warned).to.deep.equal([])
  })
})

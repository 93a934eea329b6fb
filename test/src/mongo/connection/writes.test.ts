import { setImmediate as nextTurn } from 'node:timers/promises'
import { createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { createWriteSender } from '@snippets/adapters-mongo/connection/writes.js'
import type { Job } from '@snippets/remote-storage/job.js'
import { expect } from 'chai'
import { MongoClient, MongoExpiredSessionError } from 'mongodb'
import { describeWithDatabase } from '../../support/mongo/database.js'

const newJob = () => {
  const ending = new AbortController()
  const job: Job = { outcome: 'unapplied', signal: ending.signal }
  return { job, end: () => ending.abort(new Error('answered')) }
}

describe('A write', () => {
  it('does not begin after its job has ended', async () => {
    const client = new MongoClient('mongodb://host')
    const { job, end } = newJob()
    end()
    let hasBegun = false
    const written = createWriteSender(client)(job, async () => {
      hasBegun = true
    })
    expect(await written.catch(String)).to.equal('Error: answered')
    expect(hasBegun).to.equal(false)
  })
})

describeWithDatabase('A write', ({ newFront, closing }) => {
  it('has an unknown outcome when it was sent and its retry finds no server', async () => {
    const front = await newFront()
    const { client, db, connect } = closing(createConnection(front.url))
    await connect()
    front.intercept(() => {
      front.close()
      return 'cut'
    })
    const { job } = newJob()
    const written = createWriteSender(client)(job, options => db.collection('rows').insertOne({}, options))
    await written.catch(() => {})
    expect(job.outcome).to.equal('unknown')
  })

  it('is not sent after its job has ended, even if the driver gets a connection later', async () => {
    const front = await newFront()
    const { client, db, connect } = closing(createConnection(`${front.url}&maxPoolSize=1`))
    await connect()
    const release = front.hold(() => true)
    const holder = db.collection('rows').findOne({})
    const { job, end } = newJob()
    const written = createWriteSender(client)(job, options => db.collection('rows').insertOne({}, options))
    end()
    release()
    await holder
    expect(await written.catch((error: unknown) => error)).to.be.instanceOf(MongoExpiredSessionError)
    expect(job.outcome).to.equal('unapplied')
    expect(front.requests().some(request => 'insert' in request)).to.equal(false)
  })

  it('shares its session with no other write before its reply, although its job has ended', async () => {
    const front = await newFront()
    const { client, db, connect } = closing(createConnection(front.url))
    await connect()
    const release = front.hold(({ insert }) => insert)
    const write = (job: Job) => createWriteSender(client)(job, options => db.collection('rows').insertOne({}, options))
    const { job, end } = newJob()
    const first = write(job)
    while (job.outcome === 'unapplied') await nextTurn()
    end()
    const second = write(newJob().job)
    release()
    await Promise.all([first, second])
    const sessions = front.requests().flatMap(({ insert, lsid }) => (insert ? [lsid.id.toString('hex')] : []))
    expect(new Set(sessions)).to.have.property('size', 2)
  })
})

import { once } from 'node:events'
import { Attempt } from '@snippets/adapters-mongo/connection/attempt.js'
import { retryKeys } from '@snippets/adapters-mongo/snippets/retry-keys.js'
import { createTogether } from '@snippets/adapters-mongo/snippets/snippet-creation.js'
import type { SnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import type { CreateError } from '@snippets/domain/errors.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, isRight } from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import { describeMongo, freshDatabase, type TestDatabase } from '../support/mongo/database.js'
import { proxyTo, type TcpProxy } from '../support/mongo/tcp-proxy.js'
import { anId, draft } from '../support/snippets.js'

describeMongo('A batch of creations', engine => {
  let database: TestDatabase
  let proxy: TcpProxy
  let client: MongoClient

  beforeEach(async () => {
    database = freshDatabase(engine)
    proxy = await proxyTo(database.url)
    client = new MongoClient(proxy.url, { serverSelectionTimeoutMS: 600, heartbeatFrequencyMS: 500 })
    await client.connect()
  })

  afterEach(async () => {
    await client.close()
    await proxy.close()
    await database.drop()
  })

  /** Creates two snippets; the database goes away once their ids are reserved, and is back when the first try has failed. */
  const createWhileAway = async (attempts: readonly Attempt[], onFailedTry: () => void = () => {}) => {
    let reservations = 0
    const startSession = client.startSession.bind(client)
    client.startSession = options => {
      client.startSession = startSession
      return startSession(options).once('ended', () => {
        onFailedTry()
        void proxy.restore()
      })
    }
    const ids = {
      reserve: async (count: number) => {
        reservations++
        // so that the driver looks for a server before it tries to send anything
        const noticed = once(client, 'serverHeartbeatFailed')
        await proxy.start('cut')
        await noticed
        return Array.from({ length: count }, (_, i) => anId(BigInt(41 + i)))
      },
      catchUp: async () => {},
    }
    const keys = retryKeys(client.db())
    const answers: Either<CreateError, Snippet>[] = []
    const create = createTogether(client, client.db().collection<SnippetDocument>('snippets'), ids, keys)
    await create(attempts.map(attempt => ({ draft: draft(), attempt, answer: one => void answers.push(one) })))
    return { answers, reservations }
  }

  it('keeps its ids when the insert finds no server at first', async () => {
    const { answers, reservations } = await createWhileAway([new Attempt(), new Attempt()])
    expect(answers.filter(isRight).map(({ right }) => right.id)).to.deep.equal([41n, 42n])
    expect(reservations).to.equal(1)
    expect(await database.db.collection('snippets').countDocuments()).to.equal(2)
  })

  it('does not insert again what may be stored', async () => {
    const snippets = client.db().collection<SnippetDocument>('snippets')
    const insertMany = snippets.insertMany.bind(snippets)
    let inserts = 0
    snippets.insertMany = async (...rows) => {
      inserts++
      await insertMany(...rows)
      throw new Error('no reply')
    }
    const answers: Either<CreateError, Snippet>[] = []
    const ids = { reserve: async () => [anId(41n)], catchUp: async () => {} }
    const create = createTogether(client, snippets, ids, retryKeys(client.db()))
    await create([{ draft: draft(), attempt: new Attempt(), answer: one => void answers.push(one) }])
    expect(inserts).to.equal(1)
    expect(answers[0]).to.have.nested.property('left.outcome', 'unknown')
  })

  it('does not insert for a caller that gave up between two tries', async () => {
    const [first, second] = [new Attempt(), new Attempt()]
    await createWhileAway([first, second], () => first.end())
    expect(await database.db.collection('snippets').distinct('_id')).to.deep.equal([42n])
  })
})

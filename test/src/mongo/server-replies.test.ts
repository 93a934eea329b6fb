import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { noRevision } from '@snippets/domain/entities/revision.js'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Document } from 'mongodb'
import { describeMongo, mongoForEach, testRuntime } from '../support/mongo/database.js'
import { commandName } from '../support/mongo/wire-message.js'
import { anId, draft, must } from '../support/snippets.js'

// The shapes of replies are those of the driver specifications (https://github.com/mongodb/specifications: retryable
// writes, CRUD) and of mongos (src/mongo/s/write_ops/batch_write_exec.cpp in https://github.com/mongodb/mongo).

/** The errors of mongos for each row of a command whose shard it has lost. The shard may have stored the rows. */
const lostShardCodes = [6, 7, 89, 91, 133, 189, 202, 10_107, 11_600, 11_602]

const rowErrors = (code: number, count = 1) => ({
  ok: 1,
  n: 0,
  writeErrors: Array.from({ length: count }, (_, index) => ({ index, code, errmsg: 'failed' })),
})

describeMongo('Replies of a MongoDB server:', engine => {
  const { db, open, front: newFront, closing } = mongoForEach(engine)
  const idempotencyKey = { key: 'k', fingerprint: 'f' }

  const openBehindFront = async () => {
    const front = await newFront()
    return { front, ...(await open({ url: front.url })) }
  }

  const rowCount = () => db().collection('snippets').countDocuments()

  it('an error of mongos for a row leaves its outcome unknown, and the row is not inserted again', async () => {
    const { front, snippets } = await openBehindFront()
    for (const code of lostShardCodes) {
      let inserts = 0
      front.intercept(command => {
        if (command.insert !== 'snippets') return undefined
        inserts++
        return rowErrors(code)
      })
      for (const create of [
        snippets.create(draft()),
        snippets.createOnce(draft(), { key: `${code}`, fingerprint: 'f' }),
      ])
        expect(await create(), String(code)).to.have.nested.property('left.outcome', 'unknown')
      expect(inserts).to.equal(2)
    }
  })

  it('a retry with a key finds the row that mongos stored and reported as an error', async () => {
    const { front, snippets } = await openBehindFront()
    let isLost = true
    front.interceptReply((command, reply) =>
      command.insert === 'snippets' && isLost ? { ...reply, ...rowErrors(6) } : reply,
    )
    expect(isRight(await snippets.createOnce(draft(), idempotencyKey)())).to.equal(false)
    isLost = false
    expect(must(await snippets.createOnce(draft(), idempotencyKey)())).to.include({ isReplay: true })
    expect(await rowCount()).to.equal(1)
  })

  it('a write concern error beside the errors of rows leaves all outcomes unknown', async () => {
    const { front, snippets } = await openBehindFront()
    const unconfirmed = { writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'timed out' } }
    front.intercept(({ insert }) => (insert === 'snippets' ? { ...rowErrors(11_000), ...unconfirmed } : undefined))
    expect(await snippets.create(draft())()).to.have.nested.property('left.outcome', 'unknown')
  })

  it('an error for a claim leaves the creation unapplied, and a retry finishes it', async () => {
    const { front, snippets } = await openBehindFront()
    front.intercept(({ update }) => (update === 'idempotency_keys' ? rowErrors(91) : undefined))
    expect(await snippets.createOnce(draft(), idempotencyKey)()).to.have.nested.property('left.outcome', 'unapplied')
    expect(await rowCount()).to.equal(0)
    front.intercept(() => undefined)
    expect(must(await snippets.createOnce(draft(), idempotencyKey)())).to.include({ isReplay: false })
  })

  it('a ping that mongos answers by itself proves no health', async () => {
    const { front, check } = await openBehindFront()
    expect(isRight(await check())).to.equal(true)
    const lost = { ok: 0, code: 133, codeName: 'FailedToSatisfyReadPreference', errmsg: 'no primary' }
    front.intercept(command => ('ping' in command ? { ok: 1 } : lost))
    expect(isRight(await check())).to.equal(false)
  })

  it('a first batch has all rows of a lookup, because a getMore is not retried', async () => {
    const { front, snippets } = await openBehindFront()
    const create = (i: number) => snippets.createOnce(draft(), { key: `${i}`, fingerprint: 'f' })()
    const ids = (await Promise.all(Array.from({ length: 150 }, (_, i) => create(i)))).map(
      created => must(created).item.id,
    )
    await Promise.all(ids.map(id => snippets.get(id)()))
    await Promise.all(ids.map((_, i) => create(i)))
    const finds = front.requests().filter(({ filter }) => filter?._id?.$in?.length === 150)
    expect(finds.map(({ find }) => find)).to.deep.equal([
      'idempotency_keys',
      'snippets',
      'idempotency_keys',
      'snippets',
    ])
    for (const { batchSize } of finds) expect(Number(batchSize)).to.be.above(150)
    expect(front.requests().map(commandName)).to.not.include('getMore')
  })

  it('an expectation that nothing meets sends no write, which would go to all shards', async () => {
    const { front, snippets } = await openBehindFront()
    await snippets.update(anId(1n), {}, noRevision)()
    await snippets.delete(anId(1n), noRevision)()
    const names = front.requests().map(commandName)
    expect(names.slice(names.lastIndexOf('createIndexes') + 1)).to.not.include.oneOf(['findAndModify', 'delete'])
  })

  it('an index build that hangs or fails keeps no operation from working', async () => {
    const front = await newFront()
    const failure: Document = { ok: 0, code: 171, codeName: 'CannotIndexParallelArrays', errmsg: 'parallel arrays' }
    for (const reply of [new Promise<undefined>(() => {}), failure]) {
      front.intercept(command => ('createIndexes' in command ? reply : undefined))
      const storage = closing(openMongoStorage({ url: front.url, users: [], ...testRuntime }))
      await storage.prepared
      must(await storage.snippets.createOnce(draft(), idempotencyKey)())
    }
  })
})

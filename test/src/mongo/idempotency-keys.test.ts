import { setTimeout as pause } from 'node:timers/promises'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { idempotencyKeys } from '@snippets/adapters-mongo/snippets/idempotency-keys.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { keysUnavailable } from '@snippets/domain/ports/errors.js'
import { keyLifetimeMs } from '@snippets/domain/ports/idempotency-key.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import { describeMongo, documentOf, mongoForEach, testRuntime } from '../support/mongo/database.js'
import { startProcess } from '../support/service/child-process.js'
import { recordingLog } from '../support/service/logs.js'
import { draft, must } from '../support/snippets.js'

describeMongo('Idempotency keys in MongoDB', engine => {
  const { url, db, open, proxy: newProxy, closing } = mongoForEach(engine)
  const idempotencyKey = { key: 'k', fingerprint: 'f' }
  const now = Date.now()
  const content = draft({ created_at: now })
  const rows = () => db().collection('snippets').find().toArray()

  it('are unavailable until their unique index is built', async () => {
    const storage = closing(openMongoStorage({ url: url(), users: [], ...testRuntime }))
    expect(await storage.snippets.createOnce(content, idempotencyKey)()).to.have.nested.property(
      'left.outcome',
      'unapplied',
    )
    await storage.prepared
    must(await storage.snippets.createOnce(content, idempotencyKey)())
    const [index] = (await db().collection('snippets').indexes()).filter(({ name }) => name === 'idempotency_key')
    expect(index).to.include({ unique: true, sparse: true })
  })

  it('are looked up first, so that a replay takes no id and inserts nothing', async () => {
    const proxy = await newProxy()
    const { snippets } = await open({ url: proxy.url })
    const { item } = must(await snippets.createOnce(content, idempotencyKey)())
    const before = proxy.commands().length
    expect(must(await snippets.createOnce(content, idempotencyKey)())).to.include({ isReplay: true })
    expect(proxy.commands().slice(before)).to.not.include.oneOf(['insert', 'findAndModify'])
    expect(must(await snippets.create(content)()).id).to.equal(item.id + 1n)
  })

  it('are kept for a day when their snippets are deleted', async () => {
    const { snippets } = await open()
    const other = must(await snippets.createOnce(content, { key: 'other', fingerprint: 'other' })())
    const { item } = must(await snippets.createOnce(content, idempotencyKey)())
    must(await snippets.delete(item.id, anyRevision)())
    expect((await rows()).map(({ _id }) => _id)).to.deep.equal([other.item.id])
    const keys = db().collection('deleted_snippet_keys')
    const expected = { _id: 'k', id: item.id, created_at: new Date(now), fingerprint: 'f' }
    expect(await keys.find().toArray()).to.deep.equal([expected])
    const [expiry] = (await keys.indexes()).filter(({ name }) => name === 'expiry')
    expect(Number(expiry?.expireAfterSeconds)).to.equal(keyLifetimeMs / 1000)
  })

  it('are unavailable when the database rejects their index, which is logged, and other creations work', async () => {
    await db().collection('snippets').createIndex({ 'idempotency_key.key': 1 }, { name: 'idempotency_key' })
    const { log, warnings } = recordingLog()
    const { snippets } = await open({ log })
    expect(await snippets.createOnce(content, idempotencyKey)()).to.deep.equal(left(keysUnavailable))
    must(await snippets.create(content)())
    expect(warnings().map(({ msg }) => msg)).to.deep.equal([
      'the database rejects an index; requests with an Idempotency-Key get 503: remove the cause and restart the service',
    ])
  })

  it('are looked up in snippets before deleted_snippet_keys, so that a concurrent delete hides none', async () => {
    const client = closing(new MongoClient(url(), { monitorCommands: true }))
    const steps: string[] = []
    client.on('commandStarted', ({ command }) => void steps.push(`ask ${command.find}`))
    client.on('commandSucceeded', () => void steps.push('answer'))
    await idempotencyKeys(client.db()).find(['k'])
    expect(steps).to.deep.equal(['ask snippets', 'answer', 'ask deleted_snippet_keys', 'answer'])
  })

  it('are not released from a snippet that was created after the given time', async () => {
    const { snippets } = await open()
    must(await snippets.createOnce(content, idempotencyKey)())
    await idempotencyKeys(db()).release([idempotencyKey.key], new Date(now - keyLifetimeMs))
    expect(must(await snippets.createOnce(content, idempotencyKey)())).to.include({ isReplay: true })
  })

  const duplicateKeys = () =>
    db()
      .collection<{ _id: bigint }>('snippets')
      .insertMany([1, 2].map(id => ({ ...documentOf(id), idempotency_key: { key: 'twice', fingerprint: 'f' } })))

  const rejected: Readonly<Record<string, () => Promise<unknown>>> = {
    'keys occur twice, as after restoring two backups': duplicateKeys,
    'the TTL index of keys exists with another expiry': () =>
      db()
        .collection('deleted_snippet_keys')
        .createIndex({ created_at: 1 }, { name: 'expiry', expireAfterSeconds: 60 }),
  }

  for (const [name, prepare] of Object.entries(rejected))
    it(`do not keep the service from becoming ready when ${name}`, async () => {
      await prepare()
      const service = await startProcess({ STORAGE: 'mongo', MONGODB_URL: url(), ADMIN_PORT: '0' })
      try {
        while ((await fetch(`${service.adminUrl}/readyz`)).status !== 200) await pause(50)
        const warned = service.logged().filter(({ msg }) => msg.startsWith('the database rejects an index'))
        expect(warned).to.have.length(1)
        expect(JSON.stringify(warned)).to.not.include('twice')
      } finally {
        service.kill('SIGKILL')
        await service.ended
      }
    })

  it('are released in one command when they have expired', async () => {
    const proxy = await newProxy()
    const { snippets } = await open({ url: proxy.url })
    const old = (i: number) => ({ key: `key ${i}`, fingerprint: 'f' })
    const createAll = (created_at: number) =>
      Promise.all(Array.from({ length: 40 }, (_, i) => snippets.createOnce(draft({ created_at }), old(i))()))
    await createAll(now - keyLifetimeMs)
    const before = proxy.commands().length
    const created = (await createAll(now)).map(must)
    expect(created.filter(({ isReplay }) => isReplay)).to.deep.equal([])
    expect(
      proxy
        .commands()
        .slice(before)
        .filter(name => name === 'update'),
    ).to.have.length(1)
  })

  it('do not delay a creation without a key', async () => {
    const proxy = await newProxy()
    const { snippets } = await open({ url: proxy.url })
    const before = proxy.commands().length
    await Promise.all([snippets.createOnce(content, idempotencyKey)(), snippets.create(content)()])
    expect(
      proxy
        .commands()
        .slice(before)
        .filter(name => name === 'insert'),
    ).to.have.length(2)
  })

  it('are Corrupt when they are malformed, and do not prevent a delete', async () => {
    const { snippets } = await open()
    const { item } = must(await snippets.createOnce(content, idempotencyKey)())
    await db()
      .collection('snippets')
      .updateOne({}, { $set: { 'idempotency_key.fingerprint': 7 } })
    expect(await snippets.createOnce(content, idempotencyKey)()).to.have.nested.property('left._tag', 'Corrupt')
    must(await snippets.delete(item.id, anyRevision)())
    expect(await rows()).to.deep.equal([])
  })
})

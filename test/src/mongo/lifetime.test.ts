import { type MongoStorage, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { expectOneOf } from '@snippets/domain/entities/revision.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.js'
import { describeMongo, documentOf, mongoForEach, testRuntime } from '../support/mongo/database.js'
import type { MongoProxy } from '../support/mongo/mongo-proxy.js'
import { commandName } from '../support/mongo/wire-message.js'
import { anId, changes, draft, must } from '../support/snippets.js'

/** Rows for more than one batch of a stream. */
const manyRows = Array.from({ length: 1200 }, (_, i) => documentOf(i + 1))

describeMongo('A MongoDB storage', engine => {
  const { db, proxy: newProxy, front: newFront, open, closing } = mongoForEach(engine)
  let proxy: MongoProxy

  beforeEach(async () => {
    proxy = await newProxy()
  })

  it('sends the operations of one turn of the event loop in one batch', async () => {
    const { snippets } = await open({ url: proxy.url })
    const before = proxy.commands().length
    await Promise.all([1, 2, 3].map(() => snippets.create(draft())()))
    await Promise.all([1n, 2n].map(id => snippets.get(anId(id))()))
    const sent = proxy.commands().slice(before)
    expect(sent).to.deep.equal(['findAndModify', 'insert', 'find'])
  })

  it('starts no index while the id counter cannot be prepared', async () => {
    const front = await newFront()
    front.intercept(({ findAndModify }) => (findAndModify === 'counters' ? { ok: 0, code: 13 } : undefined))
    const storage = closing(openMongoStorage({ url: front.url, users: [], ...testRuntime }))
    const names = () => front.requests().map(commandName)
    await eventually(() => names().filter(name => name === 'findAndModify').length > 1)
    expect(names()).to.not.include('createIndexes')
    front.intercept(() => undefined)
    await storage.indexed
    expect(names()).to.include('createIndexes')
  })

  it('closes while the database is unavailable', async () => {
    await proxy.start('black hole')
    const storage = openMongoStorage({ url: proxy.url, users: [], ...testRuntime })
    const checking = storage.check()
    await storage.close()
    expect(isLeft(await checking)).to.equal(true)
  })

  const never = expectOneOf([{ version: 7, created_at: 7 }])
  const withoutEffect = {
    'an update that matches nothing': ({ snippets }: MongoStorage) =>
      snippets.update(anId(1n), changes({ title: 'new' }), never)(),
    'a delete that matches nothing': ({ snippets }: MongoStorage) => snippets.delete(anId(1n), never)(),
    'a creation whose id is taken': async ({ snippets }: MongoStorage) => {
      await db()
        .collection('counters')
        .updateOne({}, { $set: { last: 0n } })
      return snippets.create(draft())()
    },
  }

  for (const [name, write] of Object.entries(withoutEffect))
    it(`reports unapplied for ${name} when the database fails during the lookup of the cause`, async () => {
      const storage = await open({ url: proxy.url })
      must(await storage.snippets.create(draft())())
      const result = write(storage)
      await proxy.start('black hole', 'find')
      expect(await result).to.have.nested.property('left.outcome', 'unapplied')
      await proxy.restore()
    })

  it('frees the cursor when the reader of a stream stops early', async () => {
    const storage = await open({ url: proxy.url })
    await db().collection<Readonly<{ _id: bigint }>>('snippets').insertMany(manyRows)
    for await (const batch of storage.snippets.all()) {
      expect(must(batch).length).to.be.above(0).and.below(1200)
      break
    }
    while (!proxy.commands().includes('killCursors')) await new Promise(setImmediate)
    expect(proxy.commands()).to.not.include('getMore')
  })
})

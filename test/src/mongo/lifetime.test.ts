import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { anyRevision, oneOfRevisions } from '@snippets/domain/entities/revision.js'
import { expect } from 'chai'
import { type Document, Long } from 'mongodb'
import { describeMongo, documentOf, mongoForEach } from '../support/mongo/database.js'
import { anId, changes, draft, must, now } from '../support/snippets.js'

/** Rows for more than one batch of a stream. */
const manyRows = Array.from({ length: 1200 }, (_, i) => documentOf(i + 1))

describeMongo('A MongoDB storage', engine => {
  const { db, proxy: newProxy, front: newFront, open } = mongoForEach(engine)
  const never = oneOfRevisions([{ version: 7, created_at: 7 }])
  const withoutEffect = {
    'an update that matches nothing': ({ snippets }: MongoStorage) =>
      snippets.update(anId(1n), changes({ title: 'new' }), never, now)(),
    'a delete that matches nothing': ({ snippets }: MongoStorage) => snippets.delete(anId(1n), never)(),
    'a creation whose id is taken': async ({ snippets }: MongoStorage) => {
      await db()
        .collection<{ _id: string }>('counters')
        .updateOne({ _id: 'snippets' }, { $set: { last: 0n } })
      return snippets.create(draft())()
    },
  }

  for (const [name, write] of Object.entries(withoutEffect))
    it(`reports unapplied for ${name} when the database fails during the lookup of the cause`, async () => {
      const proxy = await newProxy()
      const storage = await open({ url: proxy.url })
      must(await storage.snippets.create(draft())())
      const result = write(storage)
      await proxy.start('black hole', 'find')
      expect(await result).to.have.nested.property('left.outcome', 'unapplied')
      await proxy.restore()
    })

  const createOnce = ({ snippets }: MongoStorage, key: string) =>
    snippets.createOnce(draft(), { key, fingerprint: 'f' })()

  const lateReplies: Readonly<Record<string, readonly [Document, (storage: MongoStorage) => Promise<unknown>]>> = {
    'claims of keys': [{ find: 'idempotency_keys' }, storage => createOnce(storage, 'new')],
    ids: [{ findAndModify: 'counters' }, storage => createOnce(storage, 'new')],
    'the key of a row': [{ find: 'snippets' }, ({ snippets }) => snippets.delete(anId(1n), anyRevision)()],
    'a duplicate': [{ insert: 'snippets' }, withoutEffect['a creation whose id is taken']],
  }

  for (const [name, [held, write]] of Object.entries(lateReplies))
    it(`sends no further write when a reply with ${name} comes after the deadline`, async () => {
      const front = await newFront()
      const storage = await open({ url: `${front.url}&socketTimeoutMS=10000` })
      must(await createOnce(storage, 'used'))
      let release = (): void => {}
      const released = new Promise<undefined>(resolve => (release = () => resolve(undefined)))
      const isHeld = (command: Document) => Object.entries(held).every(([field, value]) => command[field] === value)
      front.intercept(command => (isHeld(command) ? released : undefined))
      expect(await write(storage)).to.have.nested.property('left.outcome')
      const before = front.commands().length
      release()
      // meanwhile a further write would arrive
      for (let i = 0; i < 5; i++) must(await storage.check())
      expect(
        front
          .commands()
          .slice(before)
          .filter(name => name !== 'find'),
      ).to.deep.equal([])
    })

  it('frees the cursor when the reader of a stream stops early', async () => {
    const front = await newFront()
    const storage = await open({ url: front.url })
    await db().collection<Readonly<{ _id: bigint }>>('snippets').insertMany(manyRows)
    for await (const batch of storage.snippets.all()) {
      expect(must(batch).length).to.be.above(0).and.below(1200)
      break
    }
    while (!front.commands().includes('killCursors')) await new Promise(setImmediate)
    expect(front.commands()).to.not.include('getMore')
  })

  it('frees the cursor of a stream that opens after the deadline', async () => {
    const front = await newFront()
    const storage = await open({ url: `${front.url}&socketTimeoutMS=10000` })
    let reply = (_: Document): void => {}
    const late = new Promise<Document>(resolve => (reply = resolve))
    front.intercept(({ find }) => (find === 'snippets' ? late : undefined))
    for await (const batch of storage.snippets.all()) expect(batch).to.have.nested.property('left.outcome', 'unapplied')
    reply({ ok: 1, cursor: { id: Long.fromNumber(7), ns: `${db().databaseName}.snippets`, firstBatch: [] } })
    while (!front.commands().includes('killCursors')) await new Promise(setImmediate)
  })
})

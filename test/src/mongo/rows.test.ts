import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { maxId } from '@snippets/domain/id.js'
import type { Row, RowStore } from '@snippets/domain/row-store.js'
import { expect } from 'chai'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { describeMongo, freshDatabase, openPrepared, type TestDatabase } from '../support/mongo/database.js'
import { anId, draft, must } from '../support/snippets.js'

const user: Row = { kind: 'user', row: { id: anId(9n), username: 'ann' } }
const snippet = (id: bigint, title = `title ${id}`): Row => ({
  kind: 'snippet',
  row: { ...draft({ title, created_at: -5 }), id: anId(id), version: 7 },
})

describeMongo('The rows of a MongoDB database', engine => {
  let database: TestDatabase
  let store: RowStore

  beforeEach(async () => {
    database = freshDatabase(engine)
    store = must(await openMongoRows(database.url)())
  })

  afterEach(async () => {
    await store.close()
    await database.drop()
  })

  const all = async (): Promise<readonly Either<string, readonly Row[]>[]> => {
    const batches: Either<string, readonly Row[]>[] = []
    for await (const batch of store.rows()) batches.push(batch)
    return batches
  }

  it('come back as they were added: users first, each by ascending id, to the last digit', async () => {
    const rows = [snippet(2n ** 53n + 1n), snippet(3n), user, snippet(2n ** 53n)]
    expect(must(await store.add(rows)())).to.deep.equal([])
    expect((await all()).flatMap(must)).to.deep.equal([user, rows[1], rows[3], rows[0]])
  })

  it('come in several batches when there are many', async () => {
    const rows = Array.from({ length: 1001 }, (_, i) => snippet(BigInt(i + 1)))
    must(await store.add(rows)())
    const batches = await all()
    expect(batches.length).to.be.above(2)
    expect(batches.flatMap(must)).to.deep.equal(rows)
  })

  it('that exist are returned as they are, and not changed', async () => {
    must(await store.add([user, snippet(1n)])())
    const other: Row = { kind: 'user', row: { id: anId(9n), username: 'bob' } }
    expect(must(await store.add([other, snippet(1n, 'other'), snippet(2n)])())).to.deep.equal([user, snippet(1n)])
    expect((await all()).flatMap(must)).to.deep.equal([user, snippet(1n), snippet(2n)])
  })

  it('keep their last id, which is never lowered, and at least the largest in use', async () => {
    expect(must(await store.lastId())).to.equal(0n)
    must(await store.raiseLastId(anId(70n))())
    must(await store.raiseLastId(anId(7n))())
    expect(must(await store.lastId())).to.equal(70n)
    must(await store.add([snippet(500n)])())
    expect(must(await store.lastId())).to.equal(500n)
    const storage = await openPrepared(database.url)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(501n)
    await storage.close()
    must(await store.raiseLastId(anId(maxId))())
    expect(must(await store.lastId())).to.equal(maxId)
  })

  it('that are malformed are named', async () => {
    await database.db.collection<Readonly<{ _id: bigint }>>('snippets').insertOne({ _id: 1n })
    const [batch, ...more] = await all()
    expect(batch)
      .to.have.property('left')
      .that.matches(/^failed \(snippet 1 is stored with a malformed title, /)
    expect(more).to.deep.equal([])
  })
})

describe('The rows of a MongoDB that is not there', () => {
  it('cannot be opened, in a sentence without the password', async () => {
    const opened = await openMongoRows('mongodb://me:secret@127.0.0.1:1/?serverSelectionTimeoutMS=50')()
    if (!isLeft(opened)) throw new Error('it was opened')
    expect(opened.left)
      .to.match(/^failed \(.+\)$/)
      .and.not.include('secret')
  })
})

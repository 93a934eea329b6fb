import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { expect } from 'chai'
import { type Document, Long } from 'mongodb'
import { describeWithDatabase, documentOf } from '../support/mongo/database.js'
import { anId, anyRevision, changes, draft, must, now } from '../support/snippets.js'

/** Longer than the deadline of an operation. */
const query = '&socketTimeoutMS=10000'

describeWithDatabase('A MongoDB storage', ({ db, collection, openBehindFront }) => {
  const never = { oneOf: [{ version: 7, created_at: 7 }] }

  type Write = (snippets: MongoStorage['snippets']) => Promise<unknown>
  const createOnce: Write = snippets => snippets.createOnce(draft(), { key: 'new', fingerprint: 'f' })()
  const createTaken: Write = async snippets => {
    await collection('counters').updateOne({ _id: 'snippets' }, { $set: { last: 0n } })
    return snippets.create(draft())()
  }
  const lateReplies: Readonly<Record<string, readonly [held: Document, outcome: string, write: Write]>> = {
    'the row that an update does not match': [
      { find: 'snippets' },
      'unapplied',
      snippets => snippets.update(anId(1n), changes({ title: 'new' }), never, now)(),
    ],
    'the row that a delete does not match': [
      { find: 'snippets' },
      'unapplied',
      snippets => snippets.delete(anId(1n), never)(),
    ],
    'the key of a row': [{ find: 'snippets' }, 'unapplied', snippets => snippets.delete(anId(1n), anyRevision)()],
    'the largest id after a duplicate': [{ find: 'snippets' }, 'unapplied', createTaken],
    'a duplicate': [{ insert: 'snippets' }, 'unknown', createTaken],
    'claims of keys': [{ find: 'idempotency_keys' }, 'unapplied', createOnce],
    ids: [{ findAndModify: 'counters' }, 'unapplied', createOnce],
  }

  for (const [name, [held, outcome, write]] of Object.entries(lateReplies))
    it(`reports ${outcome}, and sends no further write, when a reply with ${name} comes after the deadline`, async () => {
      const { front, snippets, check } = await openBehindFront({ query })
      must(await snippets.createOnce(draft(), { key: 'used', fingerprint: 'f' })())
      const release = front.hold(command => Object.entries(held).every(([field, value]) => command[field] === value))
      expect(await write(snippets)).to.have.nested.property('left.outcome', outcome)
      const before = front.commands().length
      release()
      // meanwhile a further write would arrive
      for (let i = 0; i < 5; i++) must(await check())
      const further = front.commands().slice(before)
      expect(further.filter(name => name !== 'find')).to.deep.equal([])
    })

  it('frees the cursor when the reader of a stream stops early', async () => {
    const { front, snippets } = await openBehindFront()
    // more than one batch
    await collection().insertMany(Array.from({ length: 1200 }, (_, i) => documentOf(i + 1)))
    for await (const batch of snippets.all()) {
      expect(must(batch).length).to.be.above(0).and.below(1200)
      break
    }
    while (!front.commands().includes('killCursors')) await nextTurn()
    expect(front.commands()).to.not.include('getMore')
  })

  it('frees the cursor of a stream that opens after the deadline', async () => {
    const { front, snippets } = await openBehindFront({ query })
    let reply = (_: Document): void => {}
    const late = new Promise<Document>(resolve => (reply = resolve))
    front.intercept(({ find }) => (find === 'snippets' ? late : undefined))
    for await (const batch of snippets.all()) expect(batch).to.have.nested.property('left.outcome', 'unapplied')
    reply({ ok: 1, cursor: { id: Long.fromNumber(7), ns: `${db().databaseName}.snippets`, firstBatch: [] } })
    while (!front.commands().includes('killCursors')) await nextTurn()
  })
})

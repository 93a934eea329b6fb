import { once } from 'node:events'
import { readBatch } from '@snippets/adapters-mongo/collections/raw-rows.js'
import { createConnection } from '@snippets/adapters-mongo/connection/connection.js'
import { createWriteSender } from '@snippets/adapters-mongo/connection/writes.js'
import type { Job } from '@snippets/remote-storage/job.js'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { type ClientSession, type Document, Long } from 'mongodb'
import { eventually } from '../../support/eventually.js'
import { closedPort } from '../../support/free-port.js'
import { describeWithDatabase, documentOf } from '../../support/mongo/database.js'
import { commandName } from '../../support/mongo/wire-message.js'
import { firstPage } from '../../support/queries.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'

const newJob = (): Job => ({ outcome: 'unapplied', signal: new AbortController().signal })

describeWithDatabase(
  'When the driver changes its state:',
  ({ newFront, open, openBehindFront, collection, closing }) => {
    it('a member that leaves the set ends the writes that were not sent, and no others', async () => {
      const front = await newFront()
      const { client, connect } = closing(createConnection(front.url))
      await connect()
      const sendWrite = createWriteSender(client)
      let unsentSession: ClientSession | undefined
      let sentSession: ClientSession | undefined
      const [unsent, sent] = [newJob(), newJob()]
      const left = once(client, 'serverClosed')
      const sending = [
        sendWrite(unsent, async ({ session }) => {
          unsentSession = session
          await left
          return session?.hasEnded
        }),
        sendWrite(sent, async ({ session }) => {
          sentSession = session
          sent.outcome = 'unknown'
          await left
          return session?.hasEnded
        }),
      ]
      front.remove(1)
      expect(await Promise.all(sending)).to.deep.equal([true, false])
      expect([unsentSession, sentSession].map(session => session?.hasEnded)).to.deep.equal([true, true])
    })

    it('a member that leaves the set costs no operation of the others, and none afterwards', async () => {
      const { front, snippets, check } = await openBehindFront()
      const { id } = must(await snippets.create(draft())())
      const before = front.requests().length
      const release = front.hold(({ find }) => find)
      const query = { ...firstPage(), filter: { language: 'none' } }
      const pages = Array.from({ length: 15 }, () => snippets.page(query)())
      await eventually(() => front.requests().length === before + pages.length)
      front.remove(1)
      front.intercept(() => undefined)
      release()
      for (const page of await Promise.all(pages)) must(page)
      const changed = Array.from({ length: 10 }, () => snippets.update(id, {}, anyRevision, now)())
      for (const update of await Promise.all(changed)) must(update)
      must(await check())
    })

    it('a server that stalls holds no more writes than the pool has connections, and none is sent after the answers', async () => {
      const { front, snippets, check } = await openBehindFront({ query: '&maxPoolSize=10' })
      const { id } = must(await snippets.create(draft())())
      const isWrite = (command: Document) => ['insert', 'findAndModify'].includes(commandName(command))
      const sent = () => front.requests().filter(isWrite).length
      const before = sent()
      const release = front.hold(isWrite)
      const writes = Array.from({ length: 40 }, (_, i) =>
        i % 2 === 0 ? snippets.create(draft())() : snippets.update(id, {}, anyRevision, now)(),
      )
      for (const outcome of await Promise.all(writes)) expect(outcome).to.have.nested.property('left._tag')
      const held = sent() - before
      expect(held).to.be.within(1, 10)
      release()
      must(await check())
      expect(sent() - before).to.equal(held)
    })

    it('every write has a limit of its time in the server', async () => {
      const { front, snippets } = await openBehindFront()
      const before = front.requests().length
      const { item } = must(await snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })())
      must(await snippets.create(draft())())
      must(await snippets.update(item.id, changes({ title: 'new' }), anyRevision, now)())
      must(await snippets.delete(item.id, anyRevision)())
      const writes = front
        .requests()
        .slice(before)
        .filter(command => ['insert', 'update', 'delete', 'findAndModify'].includes(commandName(command)))
      expect(new Set(writes.map(commandName))).to.deep.equal(new Set(['findAndModify', 'update', 'insert', 'delete']))
      for (const command of writes) expect(Number(command.maxTimeMS), commandName(command)).to.be.within(1, 2000)
    })

    it('a member that ran outside of its set for a while is found again', async () => {
      const front = await newFront()
      front.remove(1)
      const { check } = await open({ url: front.url.replace(/,[^/]*/, '') })
      front.setStandalone(true)
      front.elect(0)
      await eventually(async () => isLeft(await check()))
      front.setStandalone(false)
      await eventually(async () => isRight(await check()))
    })

    for (const code of [13, 24])
      it(`a write whose reply is lost, and whose retry is refused with code ${code}, has an unknown outcome`, async () => {
        const { front, snippets } = await openBehindFront()
        const { id } = must(await snippets.create(draft())())
        let sent = 0
        front.interceptReply(({ findAndModify, insert, delete: from }, reply) => {
          if (![findAndModify, insert, from].includes('snippets')) return reply
          if (++sent % 2 === 1) throw new Error('cut after the database has run it')
          const refused = { code, errmsg: 'refused' }
          return insert ? { ok: 1, n: 0, writeErrors: [{ index: 0, ...refused }] } : { ok: 0, ...refused }
        })
        const created = await snippets.create(draft())()
        const updated = await snippets.update(id, changes({ title: 'new' }), anyRevision, now)()
        const deleted = await snippets.delete(id, anyRevision)()
        for (const result of [created, updated, deleted])
          expect(result).to.have.nested.property('left.outcome', 'unknown')
        expect(await collection().countDocuments()).to.equal(1)
      })

    it('a set whose members name addresses that do not exist is found again when they name their own', async () => {
      const { front, snippets } = await openBehindFront()
      const create = () => snippets.create(draft())()
      front.nameHosts([`127.0.0.1:${await closedPort()}`])
      await eventually(async () => isLeft(await create()))
      front.nameHosts()
      await eventually(async () => isRight(await create()))
    })

    it('a read that an overloaded server refuses is not sent again', async () => {
      const { front, snippets } = await openBehindFront()
      const errorLabels = ['SystemOverloadedError', 'RetryableError']
      const refused = { ok: 0, code: 462, errmsg: 'overloaded', errorLabels, baseBackoffMS: 1 }
      front.intercept(({ find }) => (find ? refused : undefined))
      const before = front.requests().length
      expect(await snippets.page(firstPage())()).to.have.nested.property('left._tag', 'Unavailable')
      expect(front.requests().length - before).to.equal(1)
    })

    it('an update is rejected although the text of its error ends within a character', async () => {
      const { front, snippets } = await openBehindFront()
      const { id } = must(await snippets.create(draft())())
      front.spoil({ cut: 0xc3 })
      const duplicate = { ok: 0, code: 11_000, errmsg: 'E11000 duplicate key error dup key: { title: "acut..." }' }
      front.intercept(({ findAndModify }) => (findAndModify === 'snippets' ? duplicate : undefined))
      const updated = await snippets.update(id, changes({ title: 'new' }), anyRevision, now)()
      expect(updated).to.have.nested.property('left._tag', 'Rejected')
    })

    it('an update of a corrupt row is in doubt if no majority confirms it', async () => {
      const { front, snippets } = await openBehindFront()
      await collection().insertOne({ ...documentOf(1), title: 'cut' })
      front.spoil({ cut: 0xff })
      front.interceptReply(({ findAndModify }, reply) =>
        findAndModify === 'snippets' ? { ...reply, writeConcernError: { code: 64, errmsg: 'timed out' } } : reply,
      )
      const updated = await snippets.update(anId(1n), {}, anyRevision, now)()
      expect(updated).to.have.nested.property('left.outcome', 'unknown')
    })

    it('a list fails when its cursor is closed before the server has ended it', async () => {
      await collection().insertMany(Array.from({ length: 5 }, (_, i) => ({ _id: BigInt(i + 1) })))
      const front = await newFront()
      const { client, db, connect } = closing(createConnection(front.url))
      await connect()
      const rows = () => db.collection('snippets').find({}, { batchSize: 2 })
      const whole = rows()
      const lengths: number[] = []
      for (let batch = await readBatch(whole); batch.length > 0; batch = await readBatch(whole))
        lengths.push(batch.length)
      expect(lengths).to.deep.equal([2, 2, 1])
      const cut = rows()
      expect(await readBatch(cut)).to.have.lengthOf(2)
      await client.close()
      expect(String(await readBatch(cut).catch(error => error))).to.contain('was not read to its end')
    })

    it('nothing is read from a member that directConnection names and that has become a secondary', async () => {
      const front = await newFront()
      const { origin, pathname } = new URL(front.url.replace(/,[^/]*/, '').replace('mongodb:', 'http:'))
      const storage = await open({ url: `${origin.replace('http:', 'mongodb:')}${pathname}?directConnection=true` })
      const { id } = must(await storage.snippets.create(draft())())
      must(await storage.snippets.get(id)())
      // a secondary would answer
      front.intercept(({ find }) =>
        find ? { ok: 1, cursor: { id: Long.ZERO, ns: 'a.b', firstBatch: [] } } : undefined,
      )
      must(await storage.check())
      front.stepDown()
      await eventually(async () => isLeft(await storage.check()))
      expect(await storage.snippets.get(id)()).to.have.nested.property('left._tag', 'Unavailable')
      front.elect()
    })

    it('a readPreference in the URL does not keep it from connecting', () => {
      const { client } = createConnection('mongodb://host/?readPreference=secondary')
      expect(client.options.readPreference.mode).to.equal('primary')
    })
  },
)

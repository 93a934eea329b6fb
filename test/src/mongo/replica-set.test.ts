import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { stale } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { type Document, Int32 } from 'mongodb'
import { describeWithDatabase } from '../support/mongo/database.js'
import { commandName } from '../support/mongo/wire-message.js'
import { firstPage } from '../support/queries.js'
import { silentLog } from '../support/service/logs.js'
import { anId, anyRevision, draft, must, now } from '../support/snippets.js'

describeWithDatabase('A MongoDB storage on a replica set', ({ newFront, openBehindFront, closing }) => {
  it('becomes ready when a round trip takes 300 ms and a connection needs two more to open', async () => {
    const front = await newFront()
    front.setLatency(300, 2)
    const storage = closing(openMongoStorage({ url: front.url, users: [], log: silentLog }))
    await storage.whenPrepared()
    const { id } = must(await storage.snippets.create(draft({ title: 'far' }))())
    expect(must(await storage.snippets.get(id)())).to.include({ title: 'far' })
    expect(must(await storage.snippets.page(firstPage())())).to.include({ count: 1 })
  })

  it('reads from a majority, but explains a write that cannot match by a local read, and does not send it', async () => {
    const { front, ...storage } = await openBehindFront()
    const { id } = must(await storage.snippets.create(draft())())
    const levelsOf = async (operation: () => Promise<unknown>) => {
      const before = front.requests().length
      await operation()
      return front
        .requests()
        .slice(before)
        .map(command => `${commandName(command)} ${command.readConcern?.level}`)
    }
    const reads = async () => {
      must(await storage.snippets.get(id)())
      must(await storage.snippets.page({ ...firstPage({ language: 'none' }), window: makeWindow(2, 10) })())
      for await (const batch of storage.snippets.all()) must(batch)
    }
    const [find, aggregate] = ['find majority', 'aggregate majority']
    expect(await levelsOf(reads)).to.deep.equal([find, find, aggregate, find])
    for (const write of [
      storage.snippets.update(id, {}, { oneOf: [] }, now),
      storage.snippets.delete(id, { oneOf: [] }),
    ])
      expect(await levelsOf(async () => expect(await write()).to.deep.equal(left(stale)))).to.deep.equal(['find local'])
  })

  it('finds the row of a delete by the index of ids', async () => {
    const { front, snippets } = await openBehindFront()
    await snippets.delete(anId(1n), anyRevision)()
    const [hint] = front.requests().flatMap(({ deletes = [] }) => deletes.map(({ hint }: Document) => hint))
    expect(hint).to.deep.equal({ _id: new Int32(1) })
  })
})

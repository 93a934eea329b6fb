import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { anyRevision, noRevision } from '@snippets/domain/entities/revision.js'
import { stale } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import { describeMongo, mongoForEach, testRuntime } from '../support/mongo/database.js'
import type { ReplicaSetFront } from '../support/mongo/replica-set-front.js'
import { firstPage } from '../support/queries.js'
import { anId, changes, draft, must } from '../support/snippets.js'

describeMongo('A MongoDB storage on a replica set', engine => {
  const { front: newFront, open, closing } = mongoForEach(engine)
  let front: ReplicaSetFront

  beforeEach(async () => {
    front = await newFront()
  })

  const requestsOf = (...commands: readonly string[]) =>
    front.requests().filter(request => commands.some(command => command in request))

  it('becomes ready when a round trip takes 300 ms and a connection needs two more to open', async () => {
    front.setLatency(300, 2)
    const storage = closing(openMongoStorage({ url: front.url, users: [], ...testRuntime }))
    await storage.prepared
    const { id } = must(await storage.snippets.create(draft({ title: 'far' }))())
    expect(must(await storage.snippets.get(id)())).to.include({ title: 'far' })
    expect(must(await storage.snippets.page(firstPage())())).to.include({ count: 1 })
  })

  it('reads from a majority, except to explain why a write did not match', async () => {
    const storage = await open({ url: front.url })
    const { id } = must(await storage.snippets.create(draft())())
    const levelsOf = async (read: () => Promise<unknown>) => {
      const before = requestsOf('find', 'aggregate').length
      await read()
      return requestsOf('find', 'aggregate')
        .slice(before)
        .map(({ readConcern }) => readConcern.level)
    }
    const reads = async () => {
      must(await storage.snippets.get(id)())
      must(await storage.snippets.page({ ...firstPage({ language: 'none' }), window: makeWindow(2, 10) })())
      for await (const batch of storage.snippets.all()) must(batch)
    }
    expect(await levelsOf(reads)).to.deep.equal(['majority', 'majority', 'majority', 'majority'])
    for (const write of [storage.snippets.update(id, {}, noRevision), storage.snippets.delete(id, noRevision)])
      expect(await levelsOf(async () => expect(await write()).to.deep.equal(left(stale)))).to.deep.equal(['local'])
  })

  it('answers queued operations when it is closed, and does not send them', async () => {
    const storage = await open({ url: `${front.url}&maxPoolSize=1` })
    const { id } = must(await storage.snippets.create(draft())())
    const before = requestsOf('findAndModify').length
    front.pause()
    const updates = Array.from({ length: 3 }, storage.snippets.update(id, changes({ title: 'new' }), anyRevision))
    await storage.close()
    const results = await Promise.all(updates)
    expect(results.every(isLeft)).to.equal(true)
    for (const result of results.slice(1)) expect(result).to.have.nested.property('left.outcome', 'unapplied')
    front.resume()
    expect(isLeft(await storage.snippets.get(anId(1n))())).to.equal(true)
    expect(requestsOf('findAndModify').length - before).to.be.below(2)
  })
})

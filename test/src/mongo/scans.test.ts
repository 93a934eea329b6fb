import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import type { Id } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Document } from 'mongodb'
import { describeWithDatabase } from '../support/mongo/database.js'
import { aSearch, firstPage } from '../support/queries.js'
import { anyRevision, draft, must, now } from '../support/snippets.js'

describeWithDatabase('Slow operations in MongoDB', ({ openBehindFront }) => {
  type Operation = (storage: MongoStorage, id: Id) => TaskEither<StorageError, unknown>
  const read: Operation = ({ snippets }, id) => snippets.get(id)
  const page: Operation = ({ snippets }) => snippets.page(firstPage())
  const listUsers: Operation = ({ users }) => users.page(makeWindow(1, 10))
  const update: Operation = ({ snippets }, id) => snippets.update(id, {}, anyRevision, now)
  const create: Operation = ({ snippets }) => snippets.create(draft())
  const search: Operation = ({ snippets }) => snippets.page(firstPage({ search: aSearch('nowhere') }))
  const deepPage: Operation = ({ snippets }) => snippets.page({ ...firstPage(), window: makeWindow(2000, 10) })

  type IsHeld = (command: Document) => boolean
  /** The operations that run at once of 50 connections, and operations that must not wait for them. */
  type Stall = readonly [running: number, operation: Operation, isHeld: IsHeld, others: readonly Operation[]]
  const cheap = [read, page, listUsers, update, create]
  const stalls: Readonly<Record<string, Stall>> = {
    searches: [6, search, ({ filter }) => filter && '$and' in filter, cheap],
    'deep pages': [6, deepPage, ({ skip }) => Number(skip) > 1000, cheap],
    pages: [18, page, ({ find, sort }) => find === 'snippets' && sort !== undefined, [read, update, create]],
    updates: [12, update, ({ findAndModify }) => findAndModify === 'snippets', [read, page, listUsers, search, create]],
  }

  for (const [name, [running, operation, isHeld, others]] of Object.entries(stalls))
    it(`wait in a queue, and do not delay other operations: 70 ${name}`, async () => {
      const { front, ...storage } = await openBehindFront()
      const { id } = must(await storage.snippets.create(draft())())
      const release = front.hold(isHeld)
      const held = Array.from({ length: 70 }, () => operation(storage, id)())
      expect(storage.queued()).to.equal(70 - running)
      const results = await Promise.all(others.map(other => other(storage, id)()))
      release()
      expect(results.filter(isLeft)).to.deep.equal([])
      await Promise.all(held)
    })

  it('count after the page beside a cursor is read, so that a page takes one connection at a time', async () => {
    const { front, snippets, users } = await openBehindFront()
    const { id } = must(await snippets.create(draft())())
    const release = front.hold(({ find }) => find === 'snippets')
    const before = front.requests().length
    const reading = snippets.page({ ...firstPage(), seek: { side: 'before', position: { id } } })()
    // meanwhile a concurrent count would arrive
    for (let i = 0; i < 5; i++) must(await users.page(makeWindow(1, 10))())
    const sent = front.requests().slice(before)
    expect(sent.filter(({ find, count, aggregate }) => [find, count, aggregate].includes('snippets'))).to.have.length(1)
    release()
    must(await reading)
  })
})

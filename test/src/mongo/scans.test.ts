import type { MongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import type { Id } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Document } from 'mongodb'
import { describeMongo, mongoForEach } from '../support/mongo/database.js'
import { aSearch, byId, firstPage } from '../support/queries.js'
import { draft, must, now } from '../support/snippets.js'

describeMongo('Slow operations in MongoDB', engine => {
  const { openBehindFront } = mongoForEach(engine)

  type Operation = (storage: MongoStorage, id: Id) => TaskEither<StorageError, unknown>
  const read: Operation = ({ snippets }, id) => snippets.get(id)
  const page: Operation = ({ snippets }) => snippets.page(firstPage())
  const listUsers: Operation = ({ users }) => users.page(makeWindow(1, 10))
  const update: Operation = ({ snippets }, id) => snippets.update(id, {}, anyRevision, now)
  const create: Operation = ({ snippets }) => snippets.create(draft())
  const scan = { ordering: byId, window: makeWindow(1, 10), filter: {} }
  const search: Operation = ({ snippets }) => snippets.page({ ...scan, filter: { search: aSearch('nowhere') } })
  const deepPage: Operation = ({ snippets }) => snippets.page({ ...scan, window: makeWindow(2000, 10) })

  type Stall = Readonly<{ operation: Operation; isHeld: (command: Document) => boolean; others: readonly Operation[] }>
  const cheap = [read, page, listUsers, update, create]
  const stalls: Readonly<Record<string, Stall>> = {
    searches: { operation: search, isHeld: ({ filter }) => filter && '$and' in filter, others: cheap },
    'deep pages': { operation: deepPage, isHeld: ({ skip }) => Number(skip) > 1000, others: cheap },
    pages: {
      operation: page,
      isHeld: ({ find, sort }) => find === 'snippets' && sort !== undefined,
      others: [read, update, create],
    },
    updates: {
      operation: update,
      isHeld: ({ findAndModify }) => findAndModify === 'snippets',
      others: [read, page, listUsers, search, create],
    },
  }

  for (const [name, { operation, isHeld, others }] of Object.entries(stalls))
    it(`do not delay other operations: 70 ${name}`, async () => {
      const { front, ...storage } = await openBehindFront()
      const { id } = must(await storage.snippets.create(draft())())
      const release = front.hold(isHeld)
      const held = Array.from({ length: 70 }, () => operation(storage, id)())
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

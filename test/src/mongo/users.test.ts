import { provisionUsers, type UserDocument } from '@snippets/adapters-mongo/users/user-store.js'
import type { User } from '@snippets/domain/entities/user.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { type Collection, MongoBulkWriteError } from 'mongodb'
import { describeMongo, mongoForEach } from '../support/mongo/database.js'
import { anId, must } from '../support/snippets.js'

const people = (count: number): readonly User[] =>
  Array.from({ length: count }, (_, i) => ({ id: anId(BigInt(i + 1)), username: `user ${i + 1}` }))

describeMongo('Users in MongoDB', engine => {
  const { db, open } = mongoForEach(engine)

  it('are Corrupt without a valid username when read alone, and left out of pages', async () => {
    await db()
      .collection<{ _id: bigint; username?: string }>('users')
      .insertMany([{ _id: 1n, username: 'one' }, { _id: 2n }, { _id: 4n, username: 'x'.repeat(151) }])
    const storage = await open()
    expect(must(await storage.users.get(anId(1n))())).to.deep.equal({ id: 1n, username: 'one' })
    for (const id of [2n, 4n])
      expect(await storage.users.get(anId(id))()).to.have.nested.property('left._tag', 'Corrupt')
    const page = must(await storage.users.page(makeWindow(1, 10))())
    expect(page).to.deep.equal({ count: 3, items: [{ id: 1n, username: 'one' }] })
    expect(await storage.users.get(anId(3n))()).to.have.nested.property('left._tag', 'NotFound')
  })
})

describe('Inserting the users', () => {
  const provisionWhere = (codes: readonly number[], writeConcernError?: object, count = codes.length) => {
    const getWriteErrors = () => codes.map((code, index) => ({ code, index }))
    const result = {
      insertedCount: 0,
      matchedCount: 0,
      upsertedCount: 0,
      getWriteErrors,
      getWriteConcernError: () => writeConcernError,
    }
    const insertMany = async () => {
      throw Object.assign(Object.create(MongoBulkWriteError.prototype), { result })
    }
    const collection = { findOne: async () => null, insertMany } as unknown as Collection<UserDocument>
    return provisionUsers(collection, people(count))
  }

  it('fails when a row is rejected for another reason than a duplicate, is unconfirmed or has no result', async () => {
    await provisionWhere([11000, 11000])
    for (const failing of [
      provisionWhere([11000, 121]),
      provisionWhere([11000], { code: 64 }),
      provisionWhere([], undefined, 1),
      provisionWhere([11000], undefined, 2),
    ])
      expect(await failing.catch(error => error)).to.be.instanceOf(MongoBulkWriteError)
  })
})

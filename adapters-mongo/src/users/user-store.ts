import { notFound, type ReadError } from '@snippets/domain/errors.js'
import type { UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { left } from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { type Attempts, maxTimeMS } from './attempt.js'
import { type UserDocument, userDocument, userFrom } from './documents.js'
import { readPage } from './page-reader.js'
import { isDuplicate, refusedRows } from './refused-rows.js'

export const userStore = ({ reading }: Attempts, users: Collection<UserDocument>): UserStore => ({
  get: id =>
    reading<ReadError, User>(async () => {
      const document = await users.findOne({ _id: id }, { maxTimeMS })
      return document === null ? left(notFound) : userFrom(document)
    }),
  page: window => reading(() => readPage(users, { filter: {}, sort: { _id: 1 }, window, decode: userFrom })),
})

/** Puts the users into an empty collection. Several processes may do so at once: a user is inserted by the first. */
export const provisionUsers = async (collection: Collection<UserDocument>, users: readonly User[]): Promise<void> => {
  if (users.length === 0 || (await collection.findOne({}, { projection: { _id: 1 }, maxTimeMS })) !== null) return
  try {
    await collection.insertMany(users.map(userDocument), { ordered: false })
  } catch (error) {
    if (![...refusedRows(error).values()].every(isDuplicate)) throw error
  }
}

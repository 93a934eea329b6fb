import type { User } from '@snippets/domain/user.js'
import type { Collection } from 'mongodb'
import { maxTimeMS } from '../connection/in-time.js'
import { isDuplicate, refusedInserts } from '../documents/refused-inserts.js'
import { type UserDocument, userDocument } from './user-document.js'

/** Inserts the users into an empty collection. When several processes do so at once, each user is inserted by the first. */
export const provisionUsers = async (collection: Collection<UserDocument>, users: readonly User[]): Promise<void> => {
  if (users.length === 0 || (await collection.findOne({}, { projection: { _id: 1 }, maxTimeMS })) !== null) return
  try {
    await collection.insertMany(users.map(userDocument.encode), { ordered: false })
  } catch (error) {
    if (![...refusedInserts(error).values()].every(isDuplicate)) throw error
  }
}

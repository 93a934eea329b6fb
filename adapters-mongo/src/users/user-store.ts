import type { User } from '@snippets/domain/entities/user.js'
import { notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { UserStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Collection } from 'mongodb'
import { type InTime, maxTimeMS } from '../connection/operation.js'
import { decodeWith } from '../documents/document-codec.js'
import { readPage } from '../documents/read-page.js'
import { insertNew } from '../documents/refusals.js'

export type UserDocument = Readonly<{ _id: bigint; username: string }>

export const decodeUser = decodeWith(t.strict({ username: t.string }, 'user'))

export const userDocument = ({ id, username }: User): UserDocument => ({ _id: id, username })

export const userStore = (inTime: InTime, collection: Collection<UserDocument>): UserStore => ({
  get: id => () =>
    inTime<ReadError, User>(async () => {
      const document = await collection.findOne({ _id: id }, { maxTimeMS })
      return document === null ? E.left(notFound) : decodeUser(document)
    }),
  page: window => () =>
    inTime(() => readPage({ collection, filter: {}, sort: { _id: 1 }, window, decode: decodeUser })),
})

/** Inserts the users into an empty collection. When several processes do so at once, each user is inserted by the first. */
export const provisionUsers = async (collection: Collection<UserDocument>, users: readonly User[]): Promise<void> => {
  if (users.length === 0 || (await collection.findOne({}, { projection: { _id: 1 }, maxTimeMS })) !== null) return
  await insertNew(collection, users.map(userDocument))
}

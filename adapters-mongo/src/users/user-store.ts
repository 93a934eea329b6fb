import { notFound, type ReadError } from '@snippets/domain/errors.js'
import type { UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { type InTime, maxTimeMS } from '../connection/in-time.js'
import { countMatches } from '../documents/count-matches.js'
import { readPage } from '../documents/page-reader.js'
import { SharedCounts } from '../documents/shared-counts.js'
import { decodeUser, type UserDocument } from './user-document.js'

export const userStore = (inTime: InTime, users: Collection<UserDocument>): UserStore => {
  const counts = new SharedCounts((filter: object) => countMatches(users, filter, {}))
  return {
    get: id =>
      inTime<ReadError, User>(async () => {
        const document = await users.findOne({ _id: id }, { maxTimeMS })
        return document === null ? E.left(notFound) : decodeUser(document)
      }),
    page: window => inTime(() => readPage(users, counts, { filter: {}, sort: { _id: 1 }, window, decode: decodeUser })),
  }
}

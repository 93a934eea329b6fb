import { type User, userCodec } from '@snippets/domain/entities/user.js'
import { notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { UserStore } from '@snippets/domain/ports/stores.js'
import { decodeRowsWith } from '@snippets/remote-storage/decode-rows.js'
import type { Runners } from '@snippets/remote-storage/runners.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Db } from 'mongodb'
import { readNumberedPage } from '../collections/pages.js'
import { asRaw, decodeRaw, type RawRow } from '../collections/raw-rows.js'
import type { Int64 } from '../collections/stored-values.js'
import { failedRows } from '../connection/server-errors.js'
import { lookupMs } from '../connection/timeouts.js'

type UserDocument = Readonly<{ _id: Int64; username: string }>

export const userDocumentsIn = (db: Db): Collection<UserDocument> => db.collection('users')

export const decodeUser = decodeRaw(userCodec)

export const makeUserDocument = ({ id, username }: User): UserDocument => ({ _id: id, username })

/** Creates the store. Calls `onCorrupt` for each corrupt row that a page leaves out. */
export const createUserStore = (
  { runRead, onFailure }: Runners,
  db: Db,
  onCorrupt: (cause: unknown) => void,
): UserStore => {
  const userDocuments = userDocumentsIn(db)
  const source = {
    collection: userDocuments,
    filter: {},
    sort: { _id: 1 },
    decodeRows: decodeRowsWith(decodeUser, onCorrupt),
    onCountFailure: onFailure,
  } as const
  return {
    get: id => () =>
      runRead<ReadError, User>(async () => {
        const document = await userDocuments.findOne<RawRow>({ _id: id }, { maxTimeMS: lookupMs, ...asRaw })
        return document === null ? E.left(notFound) : decodeUser(document)
      }),
    page: window => () => runRead(async () => E.right(await readNumberedPage({ ...source, window }))),
  }
}

/**
 * Returns a function that inserts the users if the collection is empty. A further call completes an insertion that has
 * failed. Several processes may insert the users at the same time.
 */
export const createUserProvision = (db: Db, users: readonly User[]): (() => Promise<void>) => {
  const userDocuments = userDocumentsIn(db)
  let hasBegun = false
  return async () => {
    if (users.length === 0) return
    hasBegun ||= (await userDocuments.findOne({}, { maxTimeMS: lookupMs, ...asRaw })) === null
    if (!hasBegun) return
    const failures = await failedRows(userDocuments.insertMany(users.map(makeUserDocument), { ordered: false }))
    for (const failure of failures.values()) if (failure !== 'duplicate') throw failure.cause
  }
}

import type { Unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { attemptsAfter } from './attempt.js'
import { connectionTo } from './connection.js'
import type { SnippetDocument, UserDocument } from './documents.js'
import { type Counter, idsOf } from './ids.js'
import { prepareIndexes } from './indexes.js'
import { keepTrying } from './keep-trying.js'
import type { Log } from './log.js'
import { snippetStore } from './snippet-store.js'
import { provisionUsers, userStore } from './user-store.js'

export type MongoStorage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Whether the database answers. */
  check: TaskEither<Unavailable, void>
  /** Resolves when indexes, counter and users are what they should be. Nothing has to wait for it. */
  prepared: Promise<void>
  close: () => Promise<void>
}>

export type MongoOptions = Readonly<{
  /** Its path names the database; without one it is `snippets`. */
  url: string
  /** Go into the users collection when that is empty. */
  users: readonly User[]
  /** Where ids begin in a database that has handed out none yet. */
  firstId?: bigint
  log: Log
}>

/** Waits for nothing: while the database is away operations are `Unavailable`, and they work when it comes. */
export const openMongoStorage = ({ url, users, firstId, log }: MongoOptions): MongoStorage => {
  const { client, db, connect, close } = connectionTo(url)
  const attempts = attemptsAfter(connect)
  const snippetCollection = db.collection<SnippetDocument>('snippets')
  const userCollection = db.collection<UserDocument>('users')
  const ids = idsOf(db.collection<Counter>('counters'), snippetCollection, firstId)

  const preparation = keepTrying(async () => {
    await connect()
    await provisionUsers(userCollection, users)
    await ids.catchUp()
    await prepareIndexes(snippetCollection, log)
  }, log)

  return {
    snippets: snippetStore(attempts, client, snippetCollection, ids),
    users: userStore(attempts, userCollection),
    check: attempts.reading(async () => {
      await db.command({ ping: 1 })
      return right(undefined)
    }),
    prepared: preparation.done,
    close: () => {
      preparation.stop()
      return close()
    },
  }
}

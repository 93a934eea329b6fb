import type { Unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { connectionTo } from './connection/connection.js'
import { inTimeAfter } from './connection/in-time.js'
import { keepTrying } from './connection/keep-trying.js'
import { outageLog, withOutageLog } from './connection/outage-log.js'
import { inTurns, Turns } from './connection/turns.js'
import type { Log } from './log.js'
import { type Counter, idCounter } from './snippets/id-counter.js'
import { indexBuildsOn } from './snippets/index-builds.js'
import { prepareIndexes } from './snippets/prepare-indexes.js'
import { prepareKeys, retryKeys } from './snippets/retry-keys.js'
import type { SnippetDocument } from './snippets/snippet-document.js'
import { type OnBatch, snippetStore } from './snippets/snippet-store.js'
import { standingIndexes } from './snippets/standing-indexes.js'
import { provisionUsers } from './users/provision-users.js'
import type { UserDocument } from './users/user-document.js'
import { userStore } from './users/user-store.js'

export type MongoStorage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: right while the database answers. */
  check: TaskEither<Unavailable, void>
  /** Resolves when counter and users are in place. Nothing has to wait for it. */
  prepared: Promise<void>
  /** Resolves when the indexes of all pages are built, which may take hours. Pages work before, but slowly. */
  indexed: Promise<void>
  /** How many indexes of pages are not built yet. */
  missingIndexes: () => number
  close: () => Promise<void>
}>

export type MongoOptions = Readonly<{
  /** The path names the database; without a path it is `snippets`. */
  url: string
  /** Inserted when the users collection is empty. */
  users: readonly User[]
  /** The first id in a database that has not assigned any. */
  firstId?: bigint
  log: Log
  onBatch?: OnBatch
}>

/** Waits for nothing: while the database is away, operations are `Unavailable`; they work as soon as it is back. */
export const openMongoStorage = ({ url, users, firstId, log, onBatch }: MongoOptions): MongoStorage => {
  const { client, db, size, connect, close } = connectionTo(url, log)
  const outages = outageLog(log)
  const inTime = withOutageLog(inTimeAfter(connect), outages)
  const inTurn = inTurns(inTime, new Turns(size))
  const snippetCollection = db.collection<SnippetDocument>('snippets')
  // what is read cannot roll back after an election, so no version comes twice with another content
  const settled = db.collection<SnippetDocument>('snippets', { readConcern: { level: 'majority' } })
  const userCollection = db.collection<UserDocument>('users')
  const ids = idCounter(db.collection<Counter>('counters'), snippetCollection, firstId)
  const keys = retryKeys(db)
  const preparation = keepTrying(log, outages, async () => {
    await connect()
    await provisionUsers(userCollection, users)
    await ids.catchUp()
  })
  const standing = standingIndexes(log)
  const builds = indexBuildsOn(url, db.databaseName)
  const indexing = keepTrying(log, outages, async () => {
    await preparation.done
    await builds.run(db => prepareKeys(retryKeys(db), log))
    await builds.run(db => prepareIndexes({ db, collection: snippetCollection.collectionName, standing, log }))
  })

  return {
    snippets: snippetStore({
      inTime,
      inTurn,
      client,
      snippets: settled,
      ids,
      keys,
      standing,
      ...(onBatch && { onBatch }),
    }),
    users: userStore(inTurn, userCollection),
    check: inTime(async () => {
      await db.command({ ping: 1 })
      return right(undefined)
    }),
    prepared: preparation.done,
    indexed: indexing.done,
    missingIndexes: standing.missing,
    close: async () => {
      preparation.stop()
      indexing.stop()
      await Promise.all([builds.stop(), close()])
    },
  }
}

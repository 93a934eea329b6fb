import type { Unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Db } from 'mongodb'
import { connectionTo } from './connection/connection.js'
import { Deadlines } from './connection/deadlines.js'
import { inTimeAfter } from './connection/in-time.js'
import { keepTrying } from './connection/keep-trying.js'
import { noteResult, type OutageLog, outageLog } from './connection/outage-log.js'
import { inTurns, Turns, wouldRefuse } from './connection/turns.js'
import type { Log } from './log.js'
import { type Counter, type IdCounter, idCounter } from './snippets/id-counter.js'
import { type IndexBuilds, indexBuildsOn } from './snippets/index-builds.js'
import { prepareIndexes } from './snippets/prepare-indexes.js'
import { prepareKeys, retryKeys } from './snippets/retry-keys.js'
import type { SnippetDocument } from './snippets/snippet-document.js'
import { type OnBatch, snippetStore } from './snippets/snippet-store.js'
import { type StandingIndexes, standingIndexes } from './snippets/standing-indexes.js'
import { provisionUsers } from './users/provision-users.js'
import type { UserDocument } from './users/user-document.js'
import { userStore } from './users/user-store.js'

export type MongoStorage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: right while the database answers. */
  check: TaskEither<Unavailable, void>
  /** Whether it would at once refuse an operation that needs a turn: all but creations and reads of single snippets. */
  isBusy: () => boolean
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
  const deadlines = new Deadlines()
  const inTime = inTimeAfter(connect, noteResult(outages), deadlines)
  const turns = new Turns(size)
  const inTurn = inTurns(inTime, turns)
  const collections = collectionsOf(db)
  const { settledSnippets: snippets } = collections
  const ids = idCounter(collections.counters, collections.snippets, firstId)
  const keys = retryKeys(db)
  const standing = standingIndexes(log)
  const builds = indexBuildsOn(url, db.databaseName)
  const readying = makeReady({ connect, outages, collections, users, ids, standing, builds, log })
  return {
    snippets: snippetStore({ inTime, inTurn, client, snippets, ids, keys, standing, ...(onBatch && { onBatch }) }),
    users: userStore(inTurn, collections.users),
    check: inTime(() => ping(db)),
    isBusy: () => wouldRefuse(deadlines, turns),
    prepared: readying.prepared,
    indexed: readying.indexed,
    missingIndexes: standing.missing,
    close: async () => {
      readying.stop()
      turns.close()
      await Promise.all([builds.stop(), close()])
    },
  }
}

const ping = async (db: Db) => {
  await db.command({ ping: 1 })
  return E.right(undefined)
}

const collectionsOf = (db: Db) => ({
  snippets: db.collection<SnippetDocument>('snippets'),
  // what is read cannot roll back after an election, so no version comes twice with another content
  settledSnippets: db.collection<SnippetDocument>('snippets', { readConcern: { level: 'majority' } }),
  users: db.collection<UserDocument>('users'),
  counters: db.collection<Counter>('counters'),
})

type Readying = Readonly<{
  connect: () => Promise<unknown>
  outages: OutageLog
  collections: ReturnType<typeof collectionsOf>
  users: readonly User[]
  ids: IdCounter
  standing: StandingIndexes
  builds: IndexBuilds
  log: Log
}>

/** Connects, fills what has to be there, and then builds indexes. Begins at once, and goes on until it has succeeded. */
const makeReady = ({ connect, outages, collections, users, ids, standing, builds, log }: Readying) => {
  const preparation = keepTrying(log, outages, async () => {
    await connect()
    await provisionUsers(collections.users, users)
    await ids.catchUp()
  })
  const collection = collections.snippets.collectionName
  const indexing = keepTrying(log, outages, async () => {
    await preparation.done
    await builds.run(db => prepareKeys(retryKeys(db), log))
    await builds.run(db => prepareIndexes({ db, collection, standing, log }))
  })
  const stop = (): void => {
    preparation.stop()
    indexing.stop()
  }
  return { prepared: preparation.done, indexed: indexing.done, stop }
}

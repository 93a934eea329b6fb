import type { User } from '@snippets/domain/entities/user.js'
import type { Unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { connectionTo } from './connection/connection.js'
import { keepTrying } from './connection/keep-trying.js'
import { inLine, maxWaiting } from './connection/line.js'
import { inTimeAfter } from './connection/operation.js'
import { outageLog } from './connection/outage-log.js'
import { writesOf } from './connection/writes.js'
import type { Log } from './log.js'
import { type Counter, idCounter } from './snippets/id-counter.js'
import { makePageIndexes } from './snippets/page-indexes.js'
import { makeKeyIndexes, retryKeys } from './snippets/retry-keys.js'
import type { SnippetDocument } from './snippets/snippet-document.js'
import { type OnBatch, snippetStore } from './snippets/snippet-store.js'
import { provisionUsers, type UserDocument, userStore } from './users/user-store.js'

export type MongoStorage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: right while the database answers. */
  check: TaskEither<Unavailable, void>
  /** Resolves when counter, users and the index of idempotency keys are in place. Nothing has to wait for it. */
  prepared: Promise<void>
  /** Resolves when the indexes of all pages are built, which may take hours. Pages work before, but slowly. */
  indexed: Promise<void>
  /** Operations that wait for a connection, and the most that may. */
  queued: () => number
  maxQueued: number
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
export const openMongoStorage = ({ url, users, firstId, log, onBatch = () => {} }: MongoOptions): MongoStorage => {
  const { client, db, size, connect, patiently, close } = connectionTo(url, log)
  const outages = outageLog(log)
  const inTime = inTimeAfter(connect, outages)
  const inTurn = inLine(inTime, size, outages)
  // what is read cannot roll back after an election, so no version comes twice with another content
  const snippets = db.collection<SnippetDocument>('snippets', { readConcern: { level: 'majority' } })
  const userDocuments = db.collection<UserDocument>('users')
  const ids = idCounter(db.collection<Counter>('counters'), db.collection<SnippetDocument>('snippets'), firstId)
  let keysAreReady = false

  const preparing = keepTrying(log, async () => {
    await connect()
    const keyIndexes = patiently(keyDb => makeKeyIndexes(keyDb, log))
    const [isMade] = await Promise.all([keyIndexes, provisionUsers(userDocuments, users), ids.catchUp()])
    keysAreReady = isMade
  })
  const indexing = keepTrying(log, async () => {
    await preparing.done
    await patiently(pageDb => makePageIndexes(pageDb.collection('snippets'), log))
  })

  return {
    snippets: snippetStore({
      inTime,
      inTurn,
      sendWrite: writesOf(client),
      snippets,
      ids,
      keys: retryKeys(db),
      keysAreReady: () => keysAreReady,
      onBatch,
    }),
    users: userStore(inTurn, userDocuments),
    check: () =>
      inTime(async () => {
        await db.command({ ping: 1 })
        return E.right(undefined)
      }),
    prepared: preparing.done,
    indexed: indexing.done,
    queued: inTurn.queued,
    maxQueued: maxWaiting,
    close: async () => {
      preparing.stop()
      indexing.stop()
      await close()
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { User } from '@snippets/domain/entities/user.js'
import type { Log } from '@snippets/domain/ports/log.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { indexedPlans } from '@snippets/domain/queries/plan.js'
import { createOutageLog, createRateLimitedWarning } from '@snippets/remote-storage/outage-log.js'
import { retryPauseMs, retryPreparation } from '@snippets/remote-storage/retry-preparation.js'
import { createRunners } from '@snippets/remote-storage/runners.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Db, Document, IndexDescription } from 'mongodb'
import { createClient, createConnection } from './connection/connection.js'
import { isAnsweredError, isBadValue, isRejection } from './connection/server-errors.js'
import { createWriteSender } from './connection/writes.js'
import { createIdCounter } from './snippets/id-counter.js'
import { claimDocumentsIn, claimExpiry } from './snippets/key-claims.js'
import { type SnippetDocument, snippetDocumentsIn } from './snippets/snippet-document.js'
import { makePageIndex } from './snippets/snippet-pages.js'
import { createSnippetStore } from './snippets/snippet-store.js'
import { createUserProvision, createUserStore } from './users/user-store.js'

export type MongoStorage = Storage &
  Readonly<{
    /** Resolves when all indexes exist, which may take hours. Pages are slow until then. */
    whenIndexed: () => Promise<void>
    /** The number of jobs in the queues, without batched ones. */
    queued: () => number
    /** How often lists have left out a corrupt row. */
    corruptRows: () => number
  }>

export type MongoOptions = Readonly<{
  /** The path names the database; without a path it is `snippets`. */
  url: string
  /** Inserted if the users collection is empty. */
  users: readonly User[]
  log: Log
}>

/** The pause after a rejected index, because an attempt may read all rows. */
const rejectedIndexPauseMs = 300_000

/** Opens the storage without waiting for the database. Operations are `Unavailable` while the database is down. */
export const openMongoStorage = ({ url, users, log }: MongoOptions): MongoStorage => {
  const { client, db, maxInFlight, isSharded, connect, close } = createConnection(url)
  const onUnprepared = createRateLimitedWarning(log, 'MongoDB is not prepared yet; trying again')
  const onUnindexed = createRateLimitedWarning(log, 'MongoDB lacks indexes; trying again')
  const runners = createRunners({ connect, isRejection, ...createOutageLog(log, 'MongoDB') }, maxInFlight)
  const sendWrite = createWriteSender(client)
  const ids = createIdCounter(db, sendWrite)
  const warnOfCorrupt = createRateLimitedWarning(log, 'a list leaves out a corrupt row: correct it in the database')
  let corruptRows = 0
  const onCorrupt = (cause: unknown): void => {
    corruptRows++
    warnOfCorrupt(cause)
  }

  const closing = new AbortController()
  const provisionUsers = createUserProvision(db, users)
  const preparing = retryPreparation(closing.signal, onUnprepared, async () => {
    await connect()
    await Promise.all([provisionUsers(), ids.catchUp(closing.signal)])
  })
  // a client of its own, because a build may take hours
  const indexer = createClient(url, { socketTimeoutMS: 0, maxPoolSize: 1 })
  const indexing = retryPreparation(
    closing.signal,
    onUnindexed,
    async () => {
      await preparing
      try {
        await indexer.client.connect()
        // the storage may have closed meanwhile
        closing.signal.throwIfAborted()
        await warnOfOptions(log, snippetDocumentsIn(indexer.db))
        await makeIndexes(indexer.db)
        log.info({}, 'all indexes exist')
      } finally {
        await indexer.client.close()
      }
    },
    error => (isAnsweredError(error) ? rejectedIndexPauseMs : retryPauseMs),
  )

  return {
    snippets: createSnippetStore({ runners, db, sendWrite, ids, isSharded, onCorrupt }),
    users: createUserStore(runners, db, onCorrupt),
    // reads a document, because mongos answers `ping` itself
    check: () => runners.withDeadline(async () => E.right(void (await ids.readCounter()))),
    whenPrepared: () => preparing,
    whenIndexed: () => indexing,
    queued: runners.queued,
    corruptRows: () => corruptRows,
    close: async () => {
      closing.abort()
      const closed = Promise.allSettled([close(), indexer.client.close()])
      // a connection that hangs does not keep the process from ending
      for (const one of await Promise.race([closed, pause(1500, [])]))
        if (one.status === 'rejected') log.warn({ err: one.reason }, 'a connection to MongoDB did not close')
      return E.right(undefined)
    },
  }
}

const makeIndexes = async (db: Db): Promise<void> => {
  try {
    await ensureIndexes(snippetDocumentsIn(db), indexedPlans.map(makePageIndex))
  } finally {
    // a rejected index of pages must not keep claims from expiring
    await ensureIndexes(claimDocumentsIn(db), [claimExpiry])
  }
}

/**
 * Creates the missing indexes of a collection with one scan of its rows, or none if the database rejects one of them.
 * By default a build waits for every voting member, even if a member is down.
 */
export const ensureIndexes = (
  collection: Pick<Collection, 'createIndexes'>,
  indexes: readonly IndexDescription[],
): Promise<unknown> =>
  collection.createIndexes([...indexes], { commitQuorum: 'majority' }).catch(error => {
    // a standalone server rejects the option
    if (!isBadValue(error)) throw error
    return collection.createIndexes([...indexes])
  })

/** Warns of a collection whose rows the database deletes by itself, or compares otherwise than the service. */
const warnOfOptions = async (log: Log, collection: Collection<SnippetDocument>): Promise<void> => {
  const read = Promise.all([collection.options(), collection.indexes()])
  const [options, indexes] = await read.catch((): [Document, Document[]] => [{}, []])
  const expiring = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined).map(({ name }) => name)
  const { capped, collation } = options
  if (capped || collation || expiring.length > 0)
    log.warn({ capped, collation, expiring }, 'the collection snippets loses rows, or orders texts in its own way')
}

import type { Log } from '@snippets/application/log.js'
import { malformedRows } from '@snippets/application/remote-storage/malformed-rows.js'
import { deadlineRunner } from '@snippets/application/remote-storage/operation.js'
import { outageLog } from '@snippets/application/remote-storage/outage-log.js'
import { inQueue, maxQueuedOperations, operationQueue } from '@snippets/application/remote-storage/queue.js'
import { retryPreparation } from '@snippets/application/remote-storage/retry-preparation.js'
import type { Timers } from '@snippets/application/remote-storage/timers.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import { ensureIndex } from './collections/ensure-index.js'
import { isRejection, isServerError } from './collections/rejections.js'
import { connectionTo } from './connection/connection.js'
import { sendWriteWith } from './connection/writes.js'
import { countersIn, idCounter } from './snippets/id-counter.js'
import { claimExpiry, claimsIn, keyClaims } from './snippets/key-claims.js'
import { ensurePageIndexes } from './snippets/page-indexes.js'
import { snippetsIn } from './snippets/snippet-document.js'
import { snippetRows } from './snippets/snippet-rows.js'
import { type OnBatch, snippetStore } from './snippets/snippet-store.js'
import { provisionUsers, userStore, usersIn } from './users/user-store.js'

export type MongoStorage = Storage &
  Readonly<{
    /** Resolves when each page index is built or rejected, which may take hours. Pages are slow until then. */
    indexed: Promise<void>
    /** The number of operations in the two queues, without batched ones, and its limit. */
    queued: () => number
    maxQueued: number
    /** The number of distinct malformed rows that lists have left out. */
    malformedRows: () => number
  }>

export type MongoOptions = Readonly<{
  /** The path names the database; without a path it is `snippets`. */
  url: string
  /** Inserted if the users collection is empty. */
  users: readonly User[]
  /** The first id in a new database. */
  firstId?: bigint
  log: Log
  timers: Timers
  onBatch?: OnBatch
}>

/** The deadline of an operation from the moment when it leaves the queue. */
const deadlineMs = 1600

/** Opens the storage without waiting for the database. Operations are `Unavailable` while the database is down. */
export const openMongoStorage = (options: MongoOptions): MongoStorage => {
  const { url, users, firstId, log, timers, onBatch = () => {} } = options
  const { client, db, maxInFlight, connect, onDedicatedConnection, close } = connectionTo(url, log)
  const outages = outageLog(log, timers)
  const withDeadline = deadlineRunner({ deadlineMs, timers, connect, isRejection, outages })
  // A scan may use two connections, for rows and count: scans get a quarter of the pool. An eighth is for batches and
  // health checks, so that slow writes leave connections to them.
  const scanConcurrency = Math.max(1, Math.floor(maxInFlight / 8))
  const scans = operationQueue(timers, scanConcurrency)
  const queue = operationQueue(timers, Math.max(1, Math.floor((maxInFlight * 5) / 8)))
  const queuedWithDeadline = inQueue(queue, withDeadline)
  const snippets = snippetsIn(db)
  const userDocuments = usersIn(db)
  const ids = idCounter(countersIn(db), snippets, firstId)
  const malformed = malformedRows(log)

  const preparing = retryPreparation(log, timers, isServerError, async () => {
    await connect()
    await Promise.all([provisionUsers(userDocuments, users), ids.catchUp()])
  })
  const indexing = retryPreparation(log, timers, isServerError, async () => {
    await preparing.done
    await onDedicatedConnection(async indexDb => {
      await ensureIndex(claimsIn(indexDb), claimExpiry, log, 'expired idempotency keys stay, or keys expire early')
      await ensurePageIndexes(snippetsIn(indexDb), log)
    })
  })

  return {
    snippets: snippetStore({
      withDeadline,
      queuedWithDeadline,
      runScan: scans.run,
      snippets,
      rows: snippetRows(sendWriteWith(client), snippets),
      ids,
      claims: keyClaims(claimsIn(db)),
      onBatch,
      onMalformed: malformed.note,
    }),
    users: userStore(queuedWithDeadline, userDocuments, malformed.note),
    check: () =>
      withDeadline(async () => {
        await db.command({ ping: 1 })
        return E.right(undefined)
      }),
    prepared: preparing.done,
    indexed: indexing.done,
    queued: () => queue.queued() + scans.queued(),
    maxQueued: 2 * maxQueuedOperations,
    malformedRows: malformed.count,
    close: async () => {
      preparing.stop()
      indexing.stop()
      await close()
    },
  }
}

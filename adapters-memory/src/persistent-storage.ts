import { isDeepStrictEqual } from 'node:util'
import type { IdempotencyRecord } from '@snippets/domain/entities/idempotency-key.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { RowBatches, RowFailure, RowResult, Snapshot } from '@snippets/domain/ports/row-store.js'
import { rowFailure } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { openRowDatabase, type RowDatabase } from './leveldb/row-database.js'
import { type OpenedDirectory, WriteQueue } from './leveldb/write-queue.js'
import { type MemoryOptions, type MemoryStorage, storageOf } from './memory-storage.js'
import { footprintOf, idempotencyKeyBytes } from './state/footprint.js'
import { StorageState } from './state/storage-state.js'

export type PersistentOptions = MemoryOptions &
  Readonly<{
    /** Created if its parent exists. The storage serves the users of the directory if `users` is empty. */
    directory: string
    /** Called with the number of snippets when the directory has been read. */
    onLoad: (snippets: number) => void
    /** Called for each failed batch of writes, and for each failed attempt to reopen the directory. */
    onFailure: (cause: unknown) => void
    /** Called when writes are accepted again. */
    onRecovery: () => void
  }>

/** Opens memory storage that starts with the rows of a directory and writes every change to it. */
export const openPersistentStorage = (options: PersistentOptions): RowResult<MemoryStorage> =>
  pipe(
    openAndRead(options),
    TE.map(opened => {
      const queue = new WriteQueue(opened, { ...options, reopen: previous => openAndRead(options, previous) })
      const users = options.users.length > 0 ? options.users : opened.users
      return {
        ...storageOf(() => queue.opened.state, queue.write, users),
        check: async () => queue.status,
        snapshot: TE.fromIO(() => snapshotOf(users, queue.opened)),
        close: () => queue.close(),
      }
    }),
  )

/**
 * Reads memory, so that a backup also works while the disk fails. Snippets are immutable, so later writes do not change
 * the backup.
 */
const snapshotOf = (users: readonly User[], { state }: OpenedDirectory): Snapshot => ({
  lastId: state.lastId,
  rows: rowsOf(users, state.table.after(0n, Number.POSITIVE_INFINITY)),
})

/** The limit of snippets in a batch of a backup. A larger batch could block the event loop for long. */
const snippetsPerBatch = 64

async function* rowsOf(users: readonly User[], snippets: readonly Snippet[]): RowBatches {
  yield E.right(users.map(entity => ({ kind: 'user', entity })))
  for (let from = 0; from < snippets.length; from += snippetsPerBatch)
    yield E.right(snippets.slice(from, from + snippetsPerBatch).map(entity => ({ kind: 'snippet', entity })))
}

/** Opens and reads the directory. `previous` is the same directory, opened before, whose last batch failed. */
const openAndRead = (options: PersistentOptions, previous?: OpenedDirectory): RowResult<OpenedDirectory> =>
  pipe(
    // after a failure, a new and empty directory would hide the loss of the old one
    openRowDatabase({ directory: options.directory, mayCreate: previous === undefined }),
    TE.chain(database =>
      pipe(
        load(database, options, previous),
        TE.orElseFirstTaskK(() => () => database.close()),
      ),
    ),
  )

/** Reads all rows. Reuses unchanged snippets of the previous opening, because two copies may not fit in memory. */
const load =
  (database: RowDatabase, options: PersistentOptions, previous?: OpenedDirectory): RowResult<OpenedDirectory> =>
  async () => {
    if (previous?.database.mayBeLatest(database.header()) === false)
      return E.left(rowFailure('lacks writes that succeeded before. Restore it, or restart to go on without them'))
    const { ceilingBytes = Number.POSITIVE_INFINITY } = options
    const users: User[] = []
    const snippets: Snippet[] = []
    const keys: (readonly [string, IdempotencyRecord])[] = []
    let heldBytes = 0
    const snapshot = await database.snapshot()
    if (E.isLeft(snapshot)) return snapshot
    for await (const batch of snapshot.right.rows) {
      if (E.isLeft(batch)) return batch
      for (const { kind, entity } of batch.right) {
        if (kind === 'user') users.push(entity)
        else if (kind === 'snippet') {
          snippets.push(reuseUnchanged(entity, previous))
          heldBytes += footprintOf(entity)
        } else {
          keys.push([entity.key, entity.record])
          heldBytes += idempotencyKeyBytes
        }
      }
      // over the ceiling the storage cannot open, so the remaining rows are only counted
      if (heldBytes > ceilingBytes) {
        snippets.length = 0
        keys.length = 0
      }
    }
    if (heldBytes > ceilingBytes) return E.left(tooLarge(heldBytes, ceilingBytes))
    keys.sort(([, a], [, b]) => a.created_at - b.created_at)
    options.onLoad(snippets.length)
    const { lastId } = database.header()
    const state = new StorageState({ lastId, snippets, keys, heldBytes }, ceilingBytes)
    return E.right({ database, users, state })
  }

const bytesPerMiB = 1024 * 1024

const tooLarge = (neededBytes: number, ceilingBytes: number): RowFailure => {
  const needed = Math.ceil(neededBytes / bytesPerMiB)
  const limit = Math.floor(ceilingBytes / bytesPerMiB)
  const fault = `does not fit in memory: it takes ${needed} MiB, and the limit is ${limit} MiB`
  return rowFailure(`${fault}. Raise the memory limit and the heap limit of Node.js`)
}

const reuseUnchanged = (snippet: Snippet, previous: OpenedDirectory | undefined): Snippet => {
  const known = previous?.state.table.get(snippet.id)
  return known !== undefined && isDeepStrictEqual(known, snippet) ? known : snippet
}

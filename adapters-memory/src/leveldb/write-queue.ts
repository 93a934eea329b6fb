// `write` queues a write and starts `#run` unless it is running. `#run` takes the queued writes as a batch, applies
// them to the state, stores the changed rows with one write of LevelDB, commits the state, and then resolves the writes
// of the batch. Writes that arrive meanwhile form the next batch. Readers see the committed state, and never a change
// that the disk may lack. If a batch fails, its writes return `unknown`, because the disk may hold them; the queued
// writes return `unapplied`, and so does every write until `#recover` has closed the directory and read it again.
// Readers keep the state before the failed batch until then.

import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { User } from '@snippets/domain/entities/user.js'
import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import type { RowResult } from '@snippets/domain/ports/row-store.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'
import type { PendingRows, RunWrite, StorageState } from '../state/storage-state.js'
import type { RowDatabase, RowWrites } from './row-database.js'
import { encodeIdempotencyRow, encodeRow, idempotencyRowKey, rowKey } from './stored-row.js'

/** The longest time from the call of a write until its batch is on the disk. The rest is for the event loop. */
const maxDiskMs = 0.8 * maxAnswerMs
const tickMs = 100

const maxWritesPerBatch = 1024
/** The longest wait of a write in the queue. Its batch has the rest of `maxDiskMs`. */
const maxQueuedMs = 0.6 * maxDiskMs

/** The pause before an attempt to reopen the directory doubles. It is reset after `maxPauseMs` without a failure. */
const firstPauseMs = 250
const maxPauseMs = 30_000

/** A queued write. `apply` changes the state, and returns a function to call when the batch is on the disk. */
type QueuedWrite = Readonly<{ calledAt: number; apply: () => () => void; fail: (failure: Unavailable) => void }>

/** An open directory, and its rows in memory. */
export type OpenedDirectory = Readonly<{ database: RowDatabase; users: readonly User[]; state: StorageState }>

type WriteQueueOptions = Readonly<{
  /** Opens the closed directory again. Left is the reason why that fails. */
  reopen: (previous: OpenedDirectory) => RowResult<OpenedDirectory>
  onFailure: (cause: unknown) => void
  onRecovery: () => void
}>

/** The writes of an open directory. Reopening the directory repairs it after a failed batch. */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #queue: QueuedWrite[] = []
  readonly #closing = new AbortController()
  #opened: OpenedDirectory
  #running: Promise<void> | undefined
  #recovery = Promise.resolve()
  #pauseMs = firstPauseMs
  #recoveredAt = Number.NEGATIVE_INFINITY
  #status: E.Either<unknown, void> = E.right(undefined)

  constructor(opened: OpenedDirectory, options: WriteQueueOptions) {
    this.#opened = opened
    this.#options = options
  }

  /** The directory in use. A recovery replaces it. */
  get opened(): OpenedDirectory {
    return this.#opened
  }

  /** Left is the reason why writes are unavailable. */
  get status(): E.Either<unknown, void> {
    return this.#status
  }

  readonly write: RunWrite = apply => async () => {
    if (E.isLeft(this.#status)) return E.left(unavailable('unapplied', this.#status.left))
    return new Promise<ReturnType<typeof apply> | E.Either<Unavailable, never>>(resolve => {
      this.#queue.push({
        calledAt: performance.now(),
        apply: () => {
          const result = apply(this.#opened.state)
          return () => resolve(result)
        },
        fail: failure => resolve(E.left(failure)),
      })
      this.#running ??= this.#run()
    })
  }

  /** Stores the accepted writes, each batch within `maxDiskMs`, and closes the directory. Left if the disk hangs. */
  async close(): Promise<E.Either<unknown, void>> {
    this.#closing.abort()
    this.#status = E.left(new Error('the storage is closed'))
    await this.#running
    return withinDiskDeadline(this.#recovery.then(() => this.#opened.database.close())).then(E.right, E.left)
  }

  async #run(): Promise<void> {
    // writes of the same turn of the event loop share a batch
    await undefined
    while (this.#queue.length > 0) {
      const now = performance.now()
      const next = this.#queue.splice(0, maxWritesPerBatch)
      // `close` stores all accepted writes, however long they have waited
      const waitedMs = ({ calledAt }: QueuedWrite): number => (this.#closing.signal.aborted ? 0 : now - calledAt)
      const timedOut = next.filter(queued => waitedMs(queued) > maxQueuedMs)
      for (const queued of timedOut)
        queued.fail(unavailable('unapplied', new Error('the write timed out in the queue')))
      // the queue is in order of arrival, so the writes that timed out come first
      const batch = next.slice(timedOut.length)
      const { database, state } = this.#opened
      try {
        const answers = batch.map(queued => queued.apply())
        const rows = rowWritesOf(state.pending)
        if (rows.size > 0) {
          const written = database.write(rows, { lastId: state.lastId })
          await withinDiskDeadline(written, maxDiskMs - Math.max(...batch.map(waitedMs)))
        }
        state.commit()
        for (const answer of answers) answer()
      } catch (cause) {
        this.#fail(batch, cause)
        break
      }
    }
    this.#running = undefined
  }

  /** Fails the batch. Queued writes fail too, because they would wait for the recovery. */
  #fail(batch: readonly QueuedWrite[], cause: unknown): void {
    this.#status = E.left(cause)
    for (const queued of batch) queued.fail(unavailable('unknown', cause))
    for (const queued of this.#queue.splice(0)) queued.fail(unavailable('unapplied', cause))
    this.#options.onFailure(cause)
    this.#recovery = this.#recover().catch(this.#options.onFailure)
  }

  async #recover(): Promise<void> {
    const { signal } = this.#closing
    if (performance.now() - this.#recoveredAt > maxPauseMs) this.#pauseMs = firstPauseMs
    for (;;) {
      await pause(this.#pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs)
      // LevelDB waits for the writes in flight, however long the disk stalls
      await this.#opened.database.close().catch(() => {})
      const reopened = await this.#options.reopen(this.#opened)()
      if (E.isLeft(reopened)) {
        this.#options.onFailure(new Error(`the directory: ${reopened.left.fault}`))
        continue
      }
      this.#opened = reopened.right
      this.#recoveredAt = performance.now()
      if (signal.aborted) return
      this.#status = E.right(undefined)
      return this.#options.onRecovery()
    }
  }
}

const rowWritesOf = ({ snippets, keys }: PendingRows): RowWrites => {
  const writes = new Map<string, string | undefined>()
  for (const [id, snippet] of snippets) writes.set(rowKey('snippet', id), snippet && encodeRow(snippet))
  for (const [key, record] of keys) writes.set(idempotencyRowKey(key), record && encodeIdempotencyRow(record))
  return writes
}

/**
 * Rejects if the work takes longer than `ms`. Counts ticks instead of the time, so that the work does not time out when
 * a suspended process resumes.
 */
export const withinDiskDeadline = async (work: Promise<unknown>, ms = maxDiskMs): Promise<void> => {
  const ended = new AbortController()
  const timeOut = async (): Promise<never> => {
    for (let tick = 0; tick < ms / tickMs; tick++) await pause(tickMs, undefined, { signal: ended.signal })
    // the event loop first polls the I/O that has completed
    await nextTurn()
    throw new Error('the disk did not answer in time')
  }
  await Promise.race([work, timeOut()]).finally(() => ended.abort())
}

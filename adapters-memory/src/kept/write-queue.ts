import { type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Write } from '../snippet-store.js'
import type { Change, WriteDecisions } from '../write-decisions.js'
import type { RowChanges, RowFile } from './row-file.js'
import { encodeFirst, encodeRow, retryRowKey, rowKey } from './stored-row.js'

/** How long a batch may take. A disk that takes longer is given up. */
const deadlineMs = 2000
const maxWaiting = 8192
const maxBatch = 1024

/** One write that was decided on: answered when it is on the disk, or when that has failed. */
type Job = Readonly<{ changes: readonly Change[]; answer: () => void; fail: (failure: Unavailable) => void }>

type File = Pick<RowFile, 'write' | 'close'>

/**
 * Writes are decided on as they come. Those that come while a batch is on its way to the disk go together in the next one,
 * and readers see them once they are there. After a failure nothing is written any more: opening is the repair.
 */
export class WriteQueue {
  readonly #decisions: WriteDecisions
  readonly #file: File
  readonly #onFailure: (cause: unknown) => void
  readonly #waiting: Job[] = []
  #running: Promise<void> | undefined
  /** Why no write is taken any more. */
  #refusal: O.Option<unknown> = O.none

  constructor(decisions: WriteDecisions, file: File, onFailure: (cause: unknown) => void) {
    this.#decisions = decisions
    this.#file = file
    this.#onFailure = onFailure
  }

  /** Why no write is taken any more, if that is so. */
  get refusal(): O.Option<unknown> {
    return this.#refusal
  }

  readonly write: Write = decide => async () => {
    if (O.isSome(this.#refusal)) return E.left(unavailable('unapplied', this.#refusal.value))
    if (this.#waiting.length >= maxWaiting)
      return E.left(unavailable('unapplied', new Error('too many writes wait for the disk')))
    const decided = decide(this.#decisions)
    const changes = this.#decisions.takeChanges()
    return new Promise<typeof decided | E.Either<Unavailable, never>>(resolve => {
      this.#waiting.push({ changes, answer: () => resolve(decided), fail: failure => resolve(E.left(failure)) })
      this.#running ??= this.#run()
    })
  }

  /** Waits for the writes that were taken, but not for a disk that does not answer. */
  async close(): Promise<void> {
    if (O.isNone(this.#refusal)) this.#refusal = O.some(new Error('the storage is closed'))
    await this.#running
    // whatever was answered is on the disk
    await inTime(this.#file.close()).catch(() => {})
  }

  async #run(): Promise<void> {
    // those of the same turn go together
    await undefined
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, maxBatch)
      const changes = jobs.flatMap(job => job.changes)
      try {
        if (changes.length > 0) await inTime(this.#file.write(rowChanges(changes), this.#decisions.lastId))
      } catch (cause) {
        this.#fail(jobs, cause)
        break
      }
      this.#decisions.commit(changes)
      for (const job of jobs) job.answer()
    }
    this.#running = undefined
  }

  /** What waits was decided on after what has failed, so it fails too. */
  #fail(jobs: readonly Job[], cause: unknown): void {
    this.#refusal = O.some(cause)
    for (const job of jobs) job.fail(unavailable('unknown', cause))
    for (const job of this.#waiting.splice(0)) job.fail(unavailable('unapplied', cause))
    this.#onFailure(cause)
  }
}

const rowChanges = (changes: readonly Change[]): RowChanges => {
  const rows = new Map<string, string | undefined>()
  for (const one of changes) {
    if (one.kind === 'key') rows.set(retryRowKey(one.key), one.first && encodeFirst(one.first))
    else rows.set(rowKey('snippet', one.change.id), one.change.after && encodeRow(one.change.after))
  }
  return rows
}

const inTime = async (work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the disk did not answer within ${deadlineMs} ms`)), deadlineMs)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

import * as E from 'fp-ts/lib/Either.js'
import type { SnippetTable } from '../snippet-table.js'
import type { Head } from './head.js'
import type { KeptFile, WriteFailure } from './kept-file.js'
import { PendingGroup } from './pending-group.js'

/** How long a write may wait for the disk. */
const deadlineMs = 2000
const watchMs = 250
/** How long writes fail at once after the directory could not be opened again. */
const retryMs = 1000
/** The most writes that one group takes. */
const groupSize = 1024

/** One write: decided within a group, answered when the group is on the disk or has failed. */
export type Job = Readonly<{
  decide: (group: PendingGroup) => void
  answer: () => void
  fail: (failure: WriteFailure) => void
}>

export type GroupCommitOptions = Readonly<{
  table: SnippetTable
  file: KeptFile
  head: Head
  ceiling: number
  wait: (ms: number) => Promise<unknown>
  onFailure: (cause: unknown) => void
  onRecovery: () => void
}>

type Broken = Readonly<{ cause: unknown; lost: PendingGroup; triedAt: number }>

/** Writes that arrive while a group is on its way to the disk go with the next one, and wait for one sync together. */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  #waiting: Job[] = []
  #current: Readonly<{ jobs: readonly Job[]; since: number }> | undefined
  #head: Head
  #broken: Broken | undefined
  #isStuck = false
  #isWatched = false
  #running: Promise<void> | undefined

  constructor(options: GroupCommitOptions) {
    this.#options = options
    this.#head = options.head
  }

  add(job: Job): void {
    if (this.#isStuck) job.fail(late('unapplied'))
    else {
      this.#waiting.push(job)
      this.#running ??= this.#run()
    }
  }

  /** Waits for the writes that are under way. */
  async close(): Promise<void> {
    await this.#running
    await this.#options.file.close()
  }

  async #run(): Promise<void> {
    // those of the same turn go together
    await undefined
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, groupSize)
      this.#current = { jobs, since: Date.now() }
      if (!this.#isWatched) void this.#watch()
      const written = await this.#writeGroup(jobs)
      const isAwaited = this.#current !== undefined
      this.#current = undefined
      this.#isStuck = false
      if (isAwaited) for (const job of jobs) E.isLeft(written) ? job.fail(written.left) : job.answer()
    }
    this.#running = undefined
  }

  async #writeGroup(jobs: readonly Job[]): Promise<E.Either<WriteFailure, void>> {
    const repaired = await this.#repair()
    if (E.isLeft(repaired)) return E.left({ outcome: 'unapplied', cause: repaired.left })
    const { table, file, ceiling, onFailure } = this.#options
    const group = new PendingGroup(table, this.#head, ceiling)
    for (const job of jobs) job.decide(group)
    if (group.changes.length === 0) return E.right(undefined)
    const written = await file.write(group.changes, group.head)
    if (E.isLeft(written)) {
      this.#broken = { cause: written.left.cause, lost: group, triedAt: 0 }
      onFailure(written.left.cause)
    } else this.#commit(group)
    return written
  }

  #commit(group: PendingGroup): void {
    group.apply()
    this.#head = group.head
  }

  /** After a failure: finds out whether the failed group is on the disk after all. */
  async #repair(): Promise<E.Either<unknown, void>> {
    const broken = this.#broken
    if (broken === undefined) return E.right(undefined)
    if (Date.now() - broken.triedAt < retryMs) return E.left(broken.cause)
    const head = await this.#options.file.reopen()
    const fault = E.isLeft(head) ? head.left : this.#adopt(head.right, broken.lost)
    if (fault !== undefined) {
      this.#broken = { ...broken, triedAt: Date.now() }
      return E.left(broken.cause)
    }
    this.#broken = undefined
    this.#options.onRecovery()
    return E.right(undefined)
  }

  /** Undefined when the directory holds what this process knows of. */
  #adopt(stored: Head, lost: PendingGroup): unknown {
    if (isSame(stored, lost.head)) this.#commit(lost)
    return isSame(stored, this.#head) ? undefined : new Error('another process has written to the directory')
  }

  /** Looks now and then whether the disk still answers. */
  async #watch(): Promise<void> {
    this.#isWatched = true
    while (this.#running !== undefined) {
      await this.#options.wait(watchMs)
      if (this.#current !== undefined && Date.now() - this.#current.since >= deadlineMs)
        this.#giveUp(this.#current.jobs)
    }
    this.#isWatched = false
  }

  #giveUp(jobs: readonly Job[]): void {
    this.#isStuck = true
    this.#current = undefined
    for (const job of jobs) job.fail(late('unknown'))
    const waiting = this.#waiting
    this.#waiting = []
    for (const job of waiting) job.fail(late('unapplied'))
  }
}

const late = (outcome: WriteFailure['outcome']): WriteFailure => ({
  outcome,
  cause: new Error(`the disk did not answer within ${deadlineMs} ms`),
})

const isSame = (a: Head, b: Head): boolean => a.groups === b.groups && a.snippets === b.snippets && a.sum === b.sum

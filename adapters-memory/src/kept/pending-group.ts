import {
  type IdsExhausted,
  idsExhausted,
  type KeyReused,
  type NotFound,
  notFound,
  type Stale,
  type StorageFull,
  stale,
  storageFull,
} from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import { type Created, type FirstCreation, isExpired, type RetryKey, replay } from '@snippets/domain/retry-key.js'
import { anyRevision, type Expectation, isExpected } from '@snippets/domain/revision.js'
import {
  applyChanges,
  type Changes,
  type Draft,
  firstVersion,
  type Instant,
  type Snippet,
} from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { footprintOf } from '../footprint.js'
import { keyBytes } from '../retry-keys.js'
import type { SnippetTable } from '../snippet-table.js'
import type { Head } from './head.js'
import { retryRowKey, rowKey } from './keys.js'
import { encodeFirst, encodeRow, hashOf, hashOfFirst } from './row-codec.js'
import type { RowChange } from './row-file.js'

/** The most keys that a creation forgets, so that no group is late because of them. */
const maxForgotten = 256

/**
 * Writes that go to the disk together. Each is decided against the table and the writes before it, and the table changes
 * only once all of them are on the disk: what was read never rolls back.
 */
export class PendingGroup {
  readonly changes: RowChange[] = []
  readonly #table: SnippetTable
  readonly #ceiling: number
  readonly #steps: (() => unknown)[] = []
  /** The snippets that this group changes, as they will be. Undefined for those that it deletes. */
  readonly #after = new Map<Id, Snippet | undefined>()
  /** The keys that this group adds, and undefined for those that it forgets. */
  readonly #keysAfter = new Map<string, FirstCreation | undefined>()
  #head: Head
  #held: number

  constructor(table: SnippetTable, head: Head, ceiling: number) {
    this.#table = table
    this.#ceiling = ceiling
    this.#held = table.held
    this.#head = { ...head, groups: head.groups + 1 }
  }

  /** As it will be after this group. */
  get head(): Head {
    return this.#head
  }

  /** Makes the same changes to the table. */
  apply(): void {
    for (const step of this.#steps) step()
  }

  create(draft: Draft): E.Either<IdsExhausted | StorageFull, Snippet> {
    return this.#create(draft, 0)
  }

  createOnce(draft: Draft, retry: RetryKey): E.Either<IdsExhausted | StorageFull | KeyReused, Created> {
    const { key, fingerprint } = retry
    const first = this.#firstUnder(key)
    if (first !== undefined && !isExpired(first, draft.created_at)) return replay(first, draft, retry)
    if (first !== undefined) this.#forget(key, first)
    const created = this.#create(draft, keyBytes)
    if (E.isLeft(created)) return created
    const { id, created_at } = created.right
    this.#changeKey(key, undefined, { id, created_at, fingerprint })
    return E.right({ item: created.right, isReplay: false })
  }

  #create(draft: Draft, bytesBeside: number): E.Either<IdsExhausted | StorageFull, Snippet> {
    this.#forgetExpired(draft.created_at)
    const id = idFrom(this.#head.lastId + 1n)
    if (O.isNone(id)) return E.left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    if (!this.#hold(footprintOf(snippet) + bytesBeside)) return E.left(storageFull)
    this.#head = { ...this.#head, lastId: id.value, snippets: this.#head.snippets + 1 }
    this.#change(id.value, undefined, snippet)
    this.#steps.push(() => this.#table.add(snippet))
    return E.right(snippet)
  }

  update(id: Id, changes: Changes, expected: Expectation): E.Either<NotFound | Stale | StorageFull, Snippet> {
    const found = this.#find(id, expected)
    if (E.isLeft(found)) return found
    const snippet = applyChanges(found.right, changes)
    if (!this.#hold(footprintOf(snippet) - footprintOf(found.right))) return E.left(storageFull)
    this.#change(id, found.right, snippet)
    this.#steps.push(() => this.#table.update(id, changes, anyRevision))
    return E.right(snippet)
  }

  delete(id: Id, expected: Expectation): E.Either<NotFound | Stale, void> {
    const found = this.#find(id, expected)
    if (E.isLeft(found)) return found
    this.#hold(-footprintOf(found.right))
    this.#head = { ...this.#head, snippets: this.#head.snippets - 1 }
    this.#change(id, found.right, undefined)
    this.#steps.push(() => this.#table.delete(id, anyRevision))
    return E.right(undefined)
  }

  #find(id: Id, expected: Expectation): E.Either<NotFound | Stale, Snippet> {
    const pending = this.#after.get(id)
    const found = pending === undefined && !this.#after.has(id) ? this.#table.get(id) : fromPending(pending)
    return E.isLeft(found) || isExpected(expected, found.right) ? found : E.left(stale)
  }

  #change(id: Id, before: Snippet | undefined, after: Snippet | undefined): void {
    const text = after && encodeRow(after)
    const sum =
      this.#head.sum ^ (before ? hashOf(id, encodeRow(before)) : 0) ^ (text === undefined ? 0 : hashOf(id, text))
    this.#head = { ...this.#head, sum }
    this.#after.set(id, after)
    this.changes.push({ key: rowKey('snippet', id), text })
  }

  #firstUnder(key: string): FirstCreation | undefined {
    return this.#keysAfter.has(key) ? this.#keysAfter.get(key) : this.#table.keys.get(key)
  }

  #forgetExpired(now: Instant): void {
    let left = maxForgotten
    for (const key of this.#table.keys.expired(now)) {
      if (this.#keysAfter.has(key)) continue
      const first = this.#table.keys.get(key)
      if (first !== undefined) this.#forget(key, first)
      if (--left === 0) return
    }
  }

  #forget(key: string, first: FirstCreation): void {
    this.#hold(-keyBytes)
    this.#changeKey(key, first, undefined)
  }

  #changeKey(key: string, before: FirstCreation | undefined, after: FirstCreation | undefined): void {
    const { keys, sum } = this.#head
    const text = after && encodeFirst(after)
    const hash = hashOfFirst(key, text ?? (before ? encodeFirst(before) : ''))
    this.#head = { ...this.#head, keys: keys + (after ? 1 : -1), sum: sum ^ hash }
    this.#keysAfter.set(key, after)
    this.changes.push({ key: retryRowKey(key), text })
    this.#steps.push(() => (after ? this.#table.keys.add(key, after) : this.#table.keys.forget(key)))
  }

  #hold(more: number): boolean {
    if (more > 0 && this.#held + more > this.#ceiling) return false
    this.#held += more
    return true
  }
}

const fromPending = (pending: Snippet | undefined): E.Either<NotFound, Snippet> =>
  pending === undefined ? E.left(notFound) : E.right(pending)

import {
  type Created,
  type IdempotencyRecord,
  isExpired,
  type KeyedContent,
  replay,
} from '@snippets/domain/entities/idempotency-key.js'
import { type Expectation, type Instant, isExpected } from '@snippets/domain/entities/revision.js'
import {
  applyChanges,
  type Changes,
  type Draft,
  firstVersion,
  type Snippet,
  snippetFields,
} from '@snippets/domain/entities/snippet.js'
import {
  type CreateError,
  type CreateOnceError,
  corrupt,
  type DeleteError,
  idsExhausted,
  keyReused,
  notFound,
  stale,
  storageFull,
  type Unavailable,
  type UpdateError,
} from '@snippets/domain/ports/errors.js'
import { type Id, makeId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { footprintOf, idempotencyKeyBytes } from './footprint.js'
import { SnippetTable } from './snippet-table.js'

/** The limit of keys that one write removes or moves, so that a write stays fast. */
const maxSweptKeys = 256

/** The snippets and idempotency keys that uncommitted writes have changed. Undefined means removed. */
export type PendingRows = Readonly<{
  snippets: ReadonlyMap<Id, Snippet | undefined>
  keys: ReadonlyMap<string, IdempotencyRecord | undefined>
}>

const noChanges = () => ({
  snippets: new Map<Id, Snippet | undefined>(),
  keys: new Map<string, IdempotencyRecord | undefined>(),
})

/** The rows that a storage starts with. The keys are sorted by time. */
type InitialState = Readonly<{
  lastId: bigint
  snippets: readonly Snippet[]
  keys: readonly (readonly [string, IdempotencyRecord])[]
  /** The sum of the footprints of all snippets and keys. */
  heldBytes: number
}>

/** Runs a write on the state, and resolves when its changes are committed. */
export type RunWrite = <L, A>(apply: (state: StorageState) => E.Either<L, A>) => TaskEither<L | Unavailable, A>

/** The state of a storage. A write sees all earlier writes, committed or not. Readers see only the committed table. */
export class StorageState {
  readonly table: SnippetTable
  readonly #ceilingBytes: number
  /** The idempotency records by their keys, in the order of insertion: usually the oldest first. */
  readonly #keys: Map<string, IdempotencyRecord>
  #pending = noChanges()
  #lastId: bigint
  #heldBytes: number

  constructor({ lastId, snippets, keys, heldBytes }: InitialState, ceilingBytes = Number.POSITIVE_INFINITY) {
    this.table = new SnippetTable(snippets)
    this.#keys = new Map(keys)
    this.#lastId = lastId
    this.#ceilingBytes = ceilingBytes
    this.#heldBytes = heldBytes
  }

  /** The largest id that was ever assigned, committed or not. */
  get lastId(): bigint {
    return this.#lastId
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** The changes since the last commit. */
  get pending(): PendingRows {
    return this.#pending
  }

  commit(): void {
    for (const [id, snippet] of this.#pending.snippets) this.table.set(id, snippet)
    // `clear` would link the old contents of a map to the new ones, and so keep them until a full garbage collection
    this.#pending = noChanges()
  }

  create(draft: Draft, extraBytes = 0): E.Either<CreateError, Snippet> {
    this.#removeExpiredKeys(draft.created_at)
    const id = makeId(this.#lastId + 1n)
    if (O.isNone(id)) return E.left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    if (!this.#reserve(footprintOf(snippet) + extraBytes)) return E.left(storageFull)
    this.#lastId = id.value
    this.#pending.snippets.set(id.value, snippet)
    return E.right(snippet)
  }

  createOnce(draft: Draft, keyed: KeyedContent): E.Either<CreateOnceError, Created> {
    const { key, fingerprint } = keyed
    const record = this.#keys.get(key)
    if (record !== undefined && !isExpired(record, draft.created_at))
      return E.fromOption(() => keyReused)(replay(record, draft, keyed))
    if (record !== undefined) this.#removeKey(key)
    const created = this.create(draft, idempotencyKeyBytes)
    if (E.isLeft(created)) return created
    const { id, created_at } = created.right
    const newRecord = { id, created_at, fingerprint }
    this.#keys.set(key, newRecord)
    this.#pending.keys.set(key, newRecord)
    return E.right({ item: created.right, isReplay: false })
  }

  update(id: Id, changes: Changes, expected: Expectation, now: Instant): E.Either<UpdateError, Snippet> {
    const found = this.#find(id, expected)
    if (E.isLeft(found)) return found
    const before = found.right
    const after = applyChanges(before, changes)
    if (!snippetFields.version.is(after.version)) return E.left(corrupt(new Error('the version is at its limit')))
    this.#removeExpiredKeys(now)
    if (!this.#reserve(footprintOf(after) - footprintOf(before))) return E.left(storageFull)
    this.#pending.snippets.set(id, after)
    return E.right(after)
  }

  delete(id: Id, expected: Expectation): E.Either<DeleteError, void> {
    const found = this.#find(id, expected)
    if (E.isLeft(found)) return found
    this.#reserve(-footprintOf(found.right))
    this.#pending.snippets.set(id, undefined)
    return E.right(undefined)
  }

  #find(id: Id, expected: Expectation): E.Either<DeleteError, Snippet> {
    const pending = this.#pending.snippets
    const found = pending.has(id) ? pending.get(id) : this.table.get(id)
    if (found === undefined) return E.left(notFound)
    return isExpected(expected, found) ? E.right(found) : E.left(stale)
  }

  #removeExpiredKeys(now: Instant): void {
    let remaining = maxSweptKeys
    for (const [key, record] of this.#keys) {
      if (remaining-- === 0) return
      if (isExpired(record, now)) this.#removeKey(key)
      else if (record.created_at <= now) return
      else {
        // The clock was ahead when this key was stored. Moved to the end, the key hides no expired key behind it.
        this.#keys.delete(key)
        this.#keys.set(key, record)
      }
    }
  }

  #removeKey(key: string): void {
    this.#keys.delete(key)
    this.#heldBytes -= idempotencyKeyBytes
    this.#pending.keys.set(key, undefined)
  }

  /** Reserves memory, or frees it if `bytes` is negative. Returns false if the storage would exceed its ceiling. */
  #reserve(bytes: number): boolean {
    if (bytes > 0 && this.#heldBytes + bytes > this.#ceilingBytes) return false
    this.#heldBytes += bytes
    return true
  }
}

import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Created, KeyedContent } from '../entities/idempotency-key.js'
import type { Expectation, Instant } from '../entities/revision.js'
import type { Changes, Draft, Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import type { Page, SnippetQuery, Window } from '../queries/page.js'
import type { Id } from '../values/id.js'
import type {
  CreateError,
  CreateOnceError,
  DeleteError,
  ListError,
  PageError,
  ReadError,
  UpdateError,
} from './errors.js'

/** The longest time from the call of an operation to its result. */
export const maxAnswerMs = 2500

/**
 * A storage of snippets. Several processes MAY use the storage at the same time if it is on a database.
 *
 * Failures:
 * - An operation MUST NOT throw or reject: every failure is a `Left`. A storage that fails MUST NOT end the process.
 * - It returns `Unavailable` if the storage cannot be reached, times out or fails with an error that a retry may avoid.
 *   It returns `Rejected` if a retry would fail again.
 * - The outcome of `Unavailable` is `unapplied` for reads and for writes that were not sent. It MUST be `unknown` if
 *   the write may have been or may still be applied. It MAY be `unapplied` if the database proves a rollback.
 * - Until the storage is prepared, an operation either works or returns `Unavailable` with the outcome `unapplied`.
 * - A `get` of a corrupt row returns `Corrupt`. An update that would leave the row corrupt also returns `Corrupt`
 *   and MAY write. An update that replaces all malformed fields either succeeds or returns `Corrupt`. Pages and
 *   lists return `Corrupt` too, or leave the row out.
 *
 * Time:
 * - Every operation MUST end within `maxAnswerMs`.
 * - Callers pass the current time, as `created_at` of a draft or as `now`. An operation MUST NOT read the time of day,
 *   because two clocks could disagree on whether a key has expired.
 *
 * Rows:
 * - Every write MUST be atomic, also against other processes.
 * - A write that was answered with a `Right` MUST survive the end of the process, if the storage is persistent. On a
 *   database it MUST also survive a crash of the server, and with replicas a failover.
 * - Texts MUST be stored unchanged. They may hold every code point, including U+0000, except surrogates, and are not
 *   normalised.
 * - A storage MAY have a ceiling. Writes that do not fit return `StorageFull`; all other operations MUST still work. A
 *   write that fits MUST NOT return `StorageFull`. A delete MUST free exactly the space that the snippet took.
 */
export type SnippetStore = Readonly<{
  /**
   * Stores the draft as version 1. The storage MUST NOT assign an id twice, not even in another process, after a delete
   * or, if it is persistent, after a crash. The id MUST be positive, and greater than the ids of all creations that
   * were answered before this call. Concurrent creations get their ids in any order, and gaps are allowed.
   * `IdsExhausted` when the largest id has been assigned, `StorageFull` when the draft does not fit under the ceiling.
   */
  create: (draft: Draft) => TaskEither<CreateError, Snippet>

  /**
   * Creates as `create` does, but only once for each key. If the key was used with the same fingerprint, returns the
   * first version of that snippet, even if it has been changed or deleted since. `KeyReused` when the fingerprint
   * differs, `KeyInUse` when another creation with the key is in progress and does not end in time.
   *
   * - Concurrent creations with the key MUST add at most one snippet, even if some of them fail midway.
   * - A failed creation MAY leave its key bound to its content. A retry MAY then return the id and the `created_at` of
   *   the failed attempt.
   * - Keys count towards the ceiling until they are removed. A key expires a day after the creation that used it first.
   *   The storage MUST remove the expired key of a deleted snippet, either at one of the next creations, with or
   *   without a key, or within two days of its expiry. It MAY keep the expired key of a snippet that exists.
   */
  createOnce: (draft: Draft, keyed: KeyedContent) => TaskEither<CreateOnceError, Created>

  /** Returns the snippet, or `NotFound`. */
  get: (id: Id) => TaskEither<ReadError, Snippet>

  /**
   * Sets the fields in `changes` and keeps all others. Adds 1 to the version, even when `changes` is empty. Returns the
   * new version. `NotFound` when there is no snippet with this id; `Stale` when its revision does not meet the
   * expectation; `StorageFull` when the snippet grows and no longer fits under the ceiling. Comparison and write MUST
   * be one atomic step. `now` is for a storage that removes expired keys to make room.
   */
  update: (id: Id, changes: Changes, expected: Expectation, now: Instant) => TaskEither<UpdateError, Snippet>

  /** Fails as `update` does, without `StorageFull`. MAY delete a corrupt row. */
  delete: (id: Id, expected: Expectation) => TaskEither<DeleteError, void>

  /**
   * Returns one page of the snippets that match the filter, and the count of all matches. Text MUST sort by code point.
   * The pages of an unchanged collection MUST contain each match exactly once. A page past the end is empty. A page
   * after or before a position MUST hold the nearest matches on that side, even if no row is at the position. The rows
   * and the count MAY be read at different times.
   *
   * `SearchTooBroad` when a search times out: the storage MUST NOT return partial results. `Overloaded` when a search,
   * or another page that is slow on this storage, finds no room in time. `Unavailable` when any other page finds no
   * room, or a page without a search times out.
   *
   * The count MAY be a lower bound if more than 100,000 snippets match, or counting fails or does not finish in time,
   * and an estimate if the collection is large. Then its `precision` MUST say so.
   */
  page: (query: SnippetQuery) => TaskEither<PageError, Page<Snippet>>

  /**
   * Yields every snippet by ascending id, in batches, which MAY be empty. A snippet that exists from the first batch to
   * the last MUST come exactly once. A snippet that is updated meanwhile comes in one of its versions. Each batch MUST
   * come within `maxAnswerMs`. After a `Left` the iteration ends. When the caller ends it early, the storage MUST
   * release its resources.
   */
  all: () => AsyncIterable<E.Either<ListError, readonly Snippet[]>>
}>

/**
 * A storage of users. The service only reads them; pages are by ascending id. The rules of `SnippetStore` for results,
 * errors and deadlines apply.
 */
export type UserStore = Readonly<{
  /** Returns the user, or `NotFound`. */
  get: (id: Id) => TaskEither<ReadError, User>
  page: (window: Window) => TaskEither<ListError, Page<User>>
}>

export type Clock = Readonly<{ now: () => Instant }>

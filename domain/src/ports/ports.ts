import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Expectation } from '../entities/revision.js'
import type { Changes, Draft, Instant, Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import type { NumberedPage, Page, SnippetQuery, Window } from '../queries/page.js'
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
import type { Created, IdempotencyKey } from './idempotency-key.js'

/** The time from the call of an operation to its answer is at most this long. */
export const maxAnswerMs = 2500

/**
 * Where snippets are stored. Several processes MAY use one storage at the same time.
 *
 * - Every operation MUST be atomic, also against other processes.
 * - Every operation MUST answer within `maxAnswerMs`: with `Unavailable` if the storage cannot be reached, does not answer
 *   in time, or answers with an error that a retry may avoid, and with `Rejected` if a retry would fail again.
 * - Reading a malformed row by its id is `Corrupt`. Pages and lists are `Corrupt` too, or leave the row out.
 * - An operation MUST NOT throw or reject: every failure is a `Left`. A storage that fails MUST NOT end the process.
 * - `Unavailable` is `unapplied` only if nothing was written and nothing will be; otherwise it is `unknown`. Reads are
 *   always `unapplied`, and so are writes that were not sent or that the database has rolled back.
 * - An operation before the storage is prepared works, or answers `Unavailable` with `unapplied`.
 * - A write that was answered with a `Right` MUST survive the end of the process, if the storage is persistent. On a
 *   database it MUST also survive a crash of the server, and with replicas a failover.
 * - Texts MUST be stored unchanged. They may hold every code point except surrogates, also U+0000, and are not normalised.
 *
 * A storage MAY have a ceiling. It then MUST count exactly what it holds, so that writes which fit are never rejected, and
 * everything but the writes that answer `StorageFull` MUST go on. A delete makes room again.
 */
export type SnippetStore = Readonly<{
  /**
   * Stores the draft as version 1. The id MUST be greater than 0 and new: this storage has never assigned it, in any
   * process, before any delete or crash. It MUST be greater than the ids of all creations that were answered before this
   * call. Concurrent creations get their ids in any order, and gaps are allowed. `IdsExhausted` when the largest id has
   * been assigned, `StorageFull` when the draft does not fit under the ceiling.
   */
  create: (draft: Draft) => TaskEither<CreateError, Snippet>

  /**
   * Creates as `create` does, but once for each key within a day, counted in the `created_at` of drafts. A draft whose key
   * and fingerprint were used before creates nothing and returns the first version again, also when the snippet has been
   * changed or deleted since; `KeyReused` when the fingerprint differs, `KeysUnavailable` when the storage cannot store keys
   * until an operator repairs it. The key MUST be stored in the same atomic step as the snippet, so that exactly one of several
   * concurrent creations with the key creates. It counts under the ceiling. The storage MUST remove the expired keys of
   * deleted snippets while it is open: with later creations, or within hours by a clock of its own, which MAY differ by
   * seconds from the clocks of the processes.
   */
  createOnce: (draft: Draft, idempotencyKey: IdempotencyKey) => TaskEither<CreateOnceError, Created>

  /** `NotFound` when there is no snippet with this id. */
  get: (id: Id) => TaskEither<ReadError, Snippet>

  /**
   * Sets the named fields, keeps all others, adds 1 to the version even when no field is named, and returns the new
   * snippet. `NotFound` when there is no snippet with this id; `Stale` when the snippet is in no expected revision;
   * `StorageFull` when the snippet would grow past the ceiling, but never when it does not grow. Comparing and changing
   * MUST be one atomic step.
   */
  update: (id: Id, changes: Changes, expected: Expectation) => TaskEither<UpdateError, Snippet>

  /** Fails as `update` does, but never with `StorageFull`. */
  delete: (id: Id, expected: Expectation) => TaskEither<DeleteError, void>

  /**
   * One page of the snippets that match the filter, and the count of all matches. Text MUST sort by code point. The pages
   * of an unchanged collection MUST contain each match exactly once. A page past the end is empty. A page beside a position
   * MUST hold the matches that are nearest to it, also when no row is at the position.
   *
   * `SearchTooBroad` when a search times out: a part of its matches MUST NOT be returned. `Overloaded` when too many
   * searches, or pages of the same cost, are in progress or queued. `Unavailable` when another page times out, for example
   * because its number is very large. The count MAY be a lower bound if counting times out or waits too long.
   */
  page: (query: SnippetQuery) => TaskEither<PageError, Page<Snippet>>

  /**
   * Every snippet by ascending id, in batches. A snippet that exists from the first batch to the last MUST come exactly
   * once. A snippet that is written meanwhile comes in one of its versions. Each batch MUST come within `maxAnswerMs`. A
   * `Left` is the last item. Returning early from the iteration MUST free what it holds.
   */
  all: () => AsyncIterable<E.Either<ListError, readonly Snippet[]>>
}>

/**
 * Where users are stored. The service only reads; pages are by ascending id. The operator names the users in a setting. A
 * storage that has no users yet stores them when it is prepared, also if several processes prepare it at the same time.
 */
export type UserStore = Readonly<{
  /** `NotFound` when there is no user with this id. */
  get: (id: Id) => TaskEither<ReadError, User>
  page: (window: Window) => TaskEither<ListError, NumberedPage<User>>
}>

export type Clock = Readonly<{ now: () => Instant }>

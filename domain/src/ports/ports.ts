import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Expectation } from '../entities/revision.js'
import type { Changes, Draft, Instant, Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import type { Page, SnippetQuery, Window } from '../list/page.js'
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
import type { Created, RetryKey } from './retry-key.js'

/**
 * Where snippets are stored. Every operation MUST be atomic, also against other processes on the same storage. It MUST
 * NOT throw or reject: every failure is a `Left`. It MUST answer within a bounded time, with `Unavailable` if need be.
 *
 * A storage MAY have a ceiling. It then MUST count exactly what it holds, so that writes which fit are never refused, and
 * it MUST go on with everything but the writes that answer `StorageFull`. A delete makes room again.
 */
export type SnippetStore = Readonly<{
  /**
   * Stores the draft as version 1. The id MUST be greater than 0 and one that this storage has never assigned before,
   * also after a delete or a crash; ids grow, and gaps are allowed. `IdsExhausted` when the largest id has been assigned,
   * `StorageFull` when the draft does not fit under the ceiling.
   */
  create: (draft: Draft) => TaskEither<CreateError, Snippet>

  /**
   * Creates as `create` does, but once for each key within a day, counted in the `created_at` of drafts. A draft whose key
   * and fingerprint were used before creates nothing and gets what the first one got, also when the snippet has been
   * changed or deleted since; `KeyReused` when the fingerprint is another. The key MUST be stored in the same atomic step
   * as the snippet, so that of concurrent creations with one key exactly one creates. It counts under the ceiling.
   */
  createOnce: (draft: Draft, retry: RetryKey) => TaskEither<CreateOnceError, Created>

  /** `NotFound` when there is no snippet with this id. */
  get: (id: Id) => TaskEither<ReadError, Snippet>

  /**
   * Sets the named fields, keeps all others, adds 1 to the version even when no field is named, and returns the new
   * snippet. `NotFound` when there is no snippet with this id, whatever is expected; `Stale` when the snippet is in no
   * expected revision; `StorageFull` when the snippet would grow past the ceiling, but never when it does not grow.
   * Comparing and changing MUST be one atomic step.
   */
  update: (id: Id, changes: Changes, expected: Expectation) => TaskEither<UpdateError, Snippet>

  /** Fails as `update` does, but never with `StorageFull`. */
  delete: (id: Id, expected: Expectation) => TaskEither<DeleteError, void>

  /**
   * One page of the snippets that match the filter, and the count of all matches. Text MUST sort by code
   * point. While nobody writes, the pages of a query MUST tile its matches without gap or repeat. A page past the end is
   * empty. A page beside a position MUST hold the matches that are nearest to it, also when there is no row at the
   * position. `SearchTooBroad` when a search takes too long: what was found by then MUST NOT pass for the page.
   */
  page: (query: SnippetQuery) => TaskEither<PageError, Page<Snippet>>

  /**
   * Every snippet by ascending id, in batches, so that nobody has to hold them all. A snippet that exists from the first
   * batch to the last MUST come exactly once; one that is written meanwhile comes as it was at some moment. A `Left` is
   * the last item. Returning early from the iteration MUST free what it holds.
   */
  all: () => AsyncIterable<E.Either<ListError, readonly Snippet[]>>
}>

/** Where users are stored. An operator provisions them; the service only reads. Pages are by ascending id. */
export type UserStore = Readonly<{
  /** `NotFound` when there is no user with this id. */
  get: (id: Id) => TaskEither<ReadError, User>
  page: (window: Window) => TaskEither<ListError, Page<User>>
}>

export type Clock = Readonly<{ now: () => Instant }>

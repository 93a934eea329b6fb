import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CreateError, ListError, ReadError, WriteError } from './errors.js'
import type { Id } from './id.js'
import type { Page, SnippetQuery, Window } from './page.js'
import type { Changes, Draft, Instant, Revision, Snippet } from './snippet.js'
import type { User } from './user.js'

/** With `none` any revision will do; with `some` the stored snippet MUST be in one of those named (of no revisions: never). */
export type Expected = Option<readonly Revision[]>

/**
 * Where snippets are kept. Every operation is atomic, also against other processes on the same storage. No operation
 * throws or rejects: what goes wrong is a `Left`, and every operation answers within a bounded time, `Unavailable` if
 * need be.
 */
export type SnippetStore = Readonly<{
  /**
   * Stores the draft as version 1 under an id that this storage never handed out before and never will again, not even
   * after a delete or a crash. Ids grow; gaps are allowed. `IdsExhausted` when the largest id is taken.
   */
  create: (draft: Draft) => TaskEither<CreateError, Snippet>

  /** `NotFound` when there is no such snippet. */
  get: (id: Id) => TaskEither<ReadError, Snippet>

  /**
   * Sets the fields named in `changes`, keeps the others, id and created_at, and adds 1 to the version, even when
   * `changes` is empty; the answer is the new snippet. `NotFound` when there is none with this id, whatever is expected;
   * `Stale` when it is in no expected revision. The revision is compared and the change made in one atomic step.
   */
  update: (id: Id, changes: Changes, expected: Expected) => TaskEither<WriteError, Snippet>

  /** The errors of `update`, by the same rules. */
  delete: (id: Id, expected: Expected) => TaskEither<WriteError, void>

  /**
   * The page of the snippets that match the filter, and how many match. Text compares by code point. While nobody
   * writes, the pages of a query tile its snippets: none is missing, none comes twice. A page past the end is empty.
   */
  page: (query: SnippetQuery) => TaskEither<ListError, Page<Snippet>>

  /**
   * Every snippet by ascending id, in batches that are small against the collection. A snippet that exists from the first batch to the
   * last comes exactly once; one that is written meanwhile comes as it was at some moment. A `Left` is the last item. Returning
   * early from the iteration frees what it holds.
   */
  all: () => AsyncIterable<Either<ListError, readonly Snippet[]>>
}>

/** Users are provisioned by an operator; the service only reads them. The page is by ascending id. */
export type UserStore = Readonly<{
  get: (id: Id) => TaskEither<ReadError, User>
  page: (window: Window) => TaskEither<ListError, Page<User>>
}>

export type Clock = Readonly<{ now: () => Instant }>

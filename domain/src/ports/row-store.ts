import type * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import { errorMessage } from '../values/error.js'
import type { Id } from '../values/id.js'

/** A stored user or snippet, with all its fields. */
export type Row = Readonly<{ kind: 'user'; row: User } | { kind: 'snippet'; row: Snippet }>

/** A result whose failure is a message without a subject. Callers prepend the name of the storage. */
export type RowResult<A> = TE.TaskEither<string, A>

/** The stored rows of a storage, for transfers. No operation throws or rejects. */
export type RowSource = Readonly<{
  /** The largest id that was ever assigned to a snippet, or 0. */
  lastId: RowResult<bigint>
  /** Yields users, then snippets, each by ascending id. A `Left` is the last item. */
  rows: () => AsyncIterable<E.Either<string, Row>>
  close: RowResult<void>
}>

/** A source that also accepts rows. */
export type RowStore = RowSource &
  Readonly<{
    /**
     * Durably adds the rows whose kind and id are new. MUST NOT change an existing row. Callers pass rows in the order
     * of `rows`.
     */
    add: (rows: readonly Row[]) => RowResult<void>
    /** Ensures that ids up to this one are never assigned. */
    raiseLastId: (id: Id) => RowResult<void>
  }>

/** Runs work that may reject, and turns its rejection into a failure. */
export const rowResult = <A>(work: () => Promise<A>): RowResult<A> => TE.tryCatch(work, errorMessage)

/** Tells whether row `a` comes before row `b` in `rows`. */
export const precedes = (a: Row, b: Row): boolean => (a.kind === b.kind ? a.row.id < b.row.id : a.kind === 'user')

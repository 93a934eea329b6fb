import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import type { RowFailure } from './errors.js'

/** A stored user or snippet, with all its fields. */
export type Row = Readonly<{ kind: 'user'; row: User } | { kind: 'snippet'; row: Snippet }>

export type RowResult<A> = TaskEither<RowFailure, A>

/** Batches of rows. After a `Left` they end. */
export type RowBatches<A = Row> = AsyncIterable<Either<RowFailure, readonly A[]>>

/** The rows of one moment. A database that other programs change MAY mix moments. */
export type Snapshot<A = Row> = Readonly<{
  /** The largest id that was ever assigned to a snippet, or 0. */
  lastId: bigint
  /** Users, then snippets, each by ascending id. Callers read them once. */
  rows: RowBatches<A>
}>

/** A storage to copy from. No operation throws or rejects. */
export type RowSource = Readonly<{ snapshot: RowResult<Snapshot>; close: RowResult<void> }>

/**
 * A storage to copy to. Callers call `begin`, `add` for each batch in the order of a snapshot, `snapshot` and `finish`.
 * After a failure they only close it.
 */
export type RowTarget = RowSource &
  Readonly<{
    /** Ensures that ids up to `lastId` are never assigned. MUST fail if the storage holds or held rows. */
    begin: (lastId: bigint) => RowResult<void>
    /** Durably adds rows. */
    add: (rows: readonly Row[]) => RowResult<void>
    /** Declares the rows complete. Until then, a storage that only one process can open MUST reject services. */
    finish: RowResult<void>
  }>

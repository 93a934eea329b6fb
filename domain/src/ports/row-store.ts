import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Row } from '../entities/row.js'

/**
 * Rows cannot be read or added. `fault` tells the operator what is wrong with the storage, and what to do. It follows
 * the name of the storage and a colon, and has no full stop at its end: `is not empty. Name another target`.
 */
export type RowFailure = Readonly<{ _tag: 'RowFailure'; fault: string }>

export const rowFailure = (fault: string): RowFailure => ({ _tag: 'RowFailure', fault })

export const rowFailureOf = (error: unknown): RowFailure => rowFailure(E.toError(error).message)

export type RowResult<A> = TE.TaskEither<RowFailure, A>

export const tryRows = <A>(work: () => Promise<A>): RowResult<A> => TE.tryCatch(work, rowFailureOf)

/** Batches of rows. After a `Left` they end. */
export type RowBatches<A = Row> = AsyncIterable<E.Either<RowFailure, readonly A[]>>

/** The rows of one moment. A database that other programs change MAY mix moments. */
export type Snapshot<A = Row> = Readonly<{
  /** The largest id that was ever assigned to a snippet, or 0. The operator assigns the ids of users. */
  lastId: bigint
  /** The rows of each kind in the order of `rowCodecs`, by ascending id. Callers read them once. */
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
    /** Declares the rows complete. Until then, a storage for a single process MUST NOT open for a service. */
    finish: RowResult<void>
  }>

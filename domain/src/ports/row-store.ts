import type * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import type { Id } from '../values/id.js'

/** A stored user or snippet, with its id, version and time. */
export type Row = Readonly<{ kind: 'user'; row: User } | { kind: 'snippet'; row: Snippet }>

/** A failure is a sentence without its subject: callers put the name of the storage before it. */
export type RowResult<A> = TE.TaskEither<string, A>

/** A storage as an operator moves it to another one. Nothing throws or rejects. */
export type RowSource = Readonly<{
  /** The largest id that was ever assigned to a snippet; 0 for none. */
  lastId: RowResult<bigint>
  /** Users first, then snippets, each by ascending id. A `Left` is the last item. */
  rows: () => AsyncIterable<E.Either<string, Row>>
  close: RowResult<void>
}>

/** A source that can also be written. */
export type RowStore = RowSource &
  Readonly<{
    /** Adds the rows whose kind and id are new, safely on disk. They come in the order of `rows`. MUST NOT change a row that exists. */
    add: (rows: readonly Row[]) => RowResult<void>
    /** No id up to this one is assigned from now on. */
    raiseLastId: (id: Id) => RowResult<void>
  }>

/** The failure for a rejection. */
export const rowFailure = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs work that may reject. */
export const rowResult = <A>(work: () => Promise<A>): RowResult<A> => TE.tryCatch(work, rowFailure)

/** Whether a row comes before another one in `rows`. */
export const isBefore = (a: Row, b: Row): boolean => (a.kind === b.kind ? a.row.id < b.row.id : a.kind === 'user')

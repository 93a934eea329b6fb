import type { Either } from 'fp-ts/lib/Either.js'
import type { Snippet } from './snippet.js'
import type { User } from './user.js'

/** What a storage holds, as it is: with ids, versions and times. */
export type Row = Readonly<{ kind: 'user'; row: User } | { kind: 'snippet'; row: Snippet }>

export type Summary = Readonly<{
  /** The largest id that was ever assigned to a snippet. */
  lastId: bigint
  /** How many snippets there are, about. Undefined when that is not known before all have been read. */
  snippets: number | undefined
  isEmpty: boolean
}>

/** Left is a sentence for an operator, without its subject and its full stop. */
export type Outcome<A> = Promise<Either<string, A>>

/** Rows to carry over from. Nothing throws. */
export type RowSource = Readonly<{
  summary: () => Outcome<Summary>
  /** Users first, then snippets, each by ascending id, in batches. A `Left` is the last item. */
  rows: () => AsyncIterable<Either<string, readonly Row[]>>
  close: () => Promise<void>
}>

/** Rows to carry over to. */
export type RowTarget = RowSource &
  Readonly<{
    /** The rows that have the kind and the id of one of these. */
    find: (rows: readonly Row[]) => Outcome<readonly Row[]>
    /** Adds rows. It MUST NOT change one that exists. */
    insert: (rows: readonly Row[]) => Outcome<void>
    /** No id up to this one is assigned from now on. */
    raiseLastId: (id: bigint) => Outcome<void>
    /** Resolves when everything is safe on the disk. */
    finish: () => Outcome<void>
  }>

import type { Snippet } from '../entities/snippet.js'
import type { User } from '../entities/user.js'
import type { Id } from '../values/id.js'

/** What a storage holds, as it is: with ids, versions and times. */
export type Row = Readonly<{ kind: 'user'; row: User } | { kind: 'snippet'; row: Snippet }>

/** A storage as an operator moves it to another one. What rejects says why; the name of the storage is put before it. */
export type RowSource = Readonly<{
  /** The largest id that was ever assigned to a snippet; 0 for none. */
  lastId: () => Promise<bigint>
  /** Users first, then snippets, each by ascending id. */
  rows: () => AsyncIterable<Row>
  close: () => Promise<void>
}>

/** One that can also be written. */
export type RowStore = RowSource &
  Readonly<{
    /** Adds the rows whose kind and id are new, safely on disk. They come in the order of `rows`. MUST NOT change a row that exists. */
    add: (rows: readonly Row[]) => Promise<void>
    /** No id up to this one is assigned from now on. */
    raiseLastId: (id: Id) => Promise<void>
  }>

/** Whether a row comes before another one in `rows`. */
export const isBefore = (a: Row, b: Row): boolean => (a.kind === b.kind ? a.row.id < b.row.id : a.kind === 'user')

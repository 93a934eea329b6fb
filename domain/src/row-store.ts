import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Id } from './id.js'
import type { Snippet } from './snippet.js'
import type { User } from './user.js'

/** What a storage holds, as it is: with ids, versions and times. */
export type Row = Readonly<{ kind: 'user'; row: User } | { kind: 'snippet'; row: Snippet }>

/** A storage as an operator moves it to another one. Left is a sentence for the operator. */
export type RowStore = Readonly<{
  /** The largest id that was ever assigned to a snippet; 0 for none. */
  lastId: TaskEither<string, bigint>
  /** Users first, then snippets, each by ascending id, in batches. A `Left` is the last item. */
  rows: () => AsyncIterable<Either<string, readonly Row[]>>
  /** Adds the rows whose kind and id are new, safely on disk. MUST NOT change a row that exists: those it returns as they are. */
  add: (rows: readonly Row[]) => TaskEither<string, readonly Row[]>
  /** No id up to this one is assigned from now on. */
  raiseLastId: (id: Id) => TaskEither<string, void>
  close: () => Promise<void>
}>

import { notFound, type Unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { SnippetTable } from './state/snippet-table.js'
import type { StorageState } from './state/storage-state.js'

const snippetsPerBatch = 256

/** Runs a write on the state, and resolves when its changes are committed. */
export type ApplyWrite = <L, A>(apply: (state: StorageState) => E.Either<L, A>) => TaskEither<L | Unavailable, A>

/** Serves snippets from a table. A page is atomic, because it is read synchronously; a search first copies its rows. */
export const createSnippetStore = (table: () => SnippetTable, write: ApplyWrite): SnippetStore => ({
  create: draft => write(state => state.create(draft)),
  createOnce: (draft, keyed) => write(state => state.createOnce(draft, keyed)),
  get: id => async () => E.fromOption(() => notFound)(table().get(id)),
  update: (...args) => write(state => state.update(...args)),
  delete: (id, expected) => write(state => state.delete(id, expected)),
  page: query => () => table().page(query),

  async *all() {
    let batch = table().after(0n, snippetsPerBatch)
    for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
      yield E.right(batch)
      batch = table().after(last.id, snippetsPerBatch)
    }
  },
})

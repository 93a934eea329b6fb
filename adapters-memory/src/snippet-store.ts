import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, overloaded, type PageError, type Unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { hasSearch } from '@snippets/domain/queries/filter.js'
import type { Page, SnippetQuery } from '@snippets/domain/queries/page.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { maxWaitMs, type SnippetTable } from './state/snippet-table.js'
import type { StorageState } from './state/storage-state.js'

const snippetsPerBatch = 256

/**
 * The limit of searches, running or queued. One runs at a time, so that searches do not delay other requests. More in
 * the queue could take all connections.
 */
const maxSearches = 64

/** Runs a write on the state, and resolves when its changes are committed. */
export type ApplyWrite = <L, A>(apply: (state: StorageState) => E.Either<L, A>) => TaskEither<L | Unavailable, A>

/** Serves snippets from a table. A page is atomic, because it is read synchronously; a search first copies its rows. */
export const createSnippetStore = (table: () => SnippetTable, write: ApplyWrite): SnippetStore => {
  let searches = 0
  let previous: Promise<unknown> = Promise.resolve()
  const search = async (query: SnippetQuery): Promise<E.Either<PageError, Page<Snippet>>> => {
    if (searches === maxSearches) return E.left(overloaded)
    searches++
    const latestStart = performance.now() + maxWaitMs
    const run = async () => (performance.now() > latestStart ? E.left(overloaded) : table().scan(query, latestStart))
    const found = previous.then(run)
    previous = Promise.allSettled([found])
    return found.finally(() => searches--)
  }
  return {
    create: draft => write(state => state.create(draft)),
    createOnce: (draft, keyed) => write(state => state.createOnce(draft, keyed)),
    get: id => async () => E.fromOption(() => notFound)(table().get(id)),
    update: (...args) => write(state => state.update(...args)),
    delete: (id, expected) => write(state => state.delete(id, expected)),
    page: query => () => (hasSearch(query.filter) ? search(query) : table().page(query)),

    async *all() {
      let batch = table().after(0n, snippetsPerBatch)
      for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
        yield E.right(batch)
        batch = table().after(last.id, snippetsPerBatch)
      }
    },
  }
}

import type { User } from '@snippets/domain/entities/user.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/stores.js'
import { offsetOf } from '@snippets/domain/queries/page.js'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { createSearchQueue } from './state/searches.js'
import type { SnippetTable } from './state/snippet-table.js'
import { type RunWrite, StorageState } from './state/storage-state.js'

export type MemoryStorage = Storage &
  Readonly<{
    /** Returns an upper bound of the bytes that snippets and keys take in memory. */
    heldBytes: () => number
  }>

export type MemoryOptions = Readonly<{
  users: readonly User[]
  /** The limit of `heldBytes`. A write that would exceed it returns `StorageFull`. Unlimited by default. */
  ceilingBytes?: number
}>

/** Returns a storage that keeps everything in memory until the process ends. Its first id is `firstId`. */
export const createMemoryStorage = ({ users, ceilingBytes }: MemoryOptions, firstId = 1n): MemoryStorage => {
  const state = new StorageState({ lastId: firstId - 1n, snippets: [], keys: [], heldBytes: 0 }, ceilingBytes)
  const write: RunWrite = apply => async () => {
    const result = apply(state)
    state.commit()
    return result
  }
  return { ...storageOf(() => state, write, users), check: TE.right(undefined), close: TE.right(undefined) }
}

/** Serves reads from the table of the current state, and passes writes to `write`. */
export const storageOf = (
  state: () => StorageState,
  write: RunWrite,
  users: readonly User[],
): Omit<MemoryStorage, 'check' | 'close'> => ({
  snippets: createSnippetStore(() => state().table, write),
  users: createUserStore(users),
  whenPrepared: async () => {},
  heldBytes: () => state().heldBytes,
})

const snippetsPerBatch = 256

/** Serves snippets from a table. A page is atomic, because it is read synchronously; a search first copies its rows. */
const createSnippetStore = (table: () => SnippetTable, write: RunWrite): SnippetStore => {
  // outlives a table, which a recovery replaces while its searches still run
  const queueSearch = createSearchQueue()
  return {
    create: draft => write(state => state.create(draft)),
    createOnce: (draft, keyed) => write(state => state.createOnce(draft, keyed)),
    get: id => async () => E.fromNullable(notFound)(table().get(id)),
    update: (...args) => write(state => state.update(...args)),
    delete: (id, expected) => write(state => state.delete(id, expected)),
    page: query => () => table().page(query, queueSearch),

    async *all() {
      let batch = table().after(0n, snippetsPerBatch)
      for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
        yield E.right(batch)
        batch = table().after(last.id, snippetsPerBatch)
      }
    },
  }
}

const createUserStore = (users: readonly User[]): UserStore => {
  const usersById = new Map(users.map(user => [user.id, user]))
  const sorted = [...usersById.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    get: id => async () => E.fromNullable(notFound)(usersById.get(id)),
    page: window => async () => {
      const from = offsetOf(window)
      const to = from + window.size
      return E.right({ count: sorted.length, items: sorted.slice(from, to), hasMore: to < sorted.length })
    },
  }
}

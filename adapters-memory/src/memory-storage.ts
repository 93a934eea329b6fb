import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type ApplyWrite, createSnippetStore } from './snippet-store.js'
import { StorageState } from './state/storage-state.js'
import { createUserStore } from './user-store.js'

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
  const state = new StorageState(
    { lastIds: { snippet: firstId - 1n }, snippets: [], keys: [], heldBytes: 0 },
    ceilingBytes,
  )
  const write: ApplyWrite = apply => async () => {
    const result = apply(state)
    state.commit()
    return result
  }
  return { ...storageOf(() => state, write, users), check: TE.right(undefined), close: TE.right(undefined) }
}

/** Serves reads from the table of the current state, and passes writes to `write`. */
export const storageOf = (
  state: () => StorageState,
  write: ApplyWrite,
  users: readonly User[],
): Omit<MemoryStorage, 'check' | 'close'> => ({
  snippets: createSnippetStore(() => state().table, write),
  users: createUserStore(users),
  whenPrepared: async () => {},
  heldBytes: () => state().heldBytes,
})

import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { snippetStore } from './snippet-store.js'
import { SnippetTable } from './snippet-table.js'
import { userStore } from './user-store.js'

export type MemoryStorage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** How many bytes of heap the snippets take at the most. */
  heldBytes: () => number
}>

export type MemoryOptions = Readonly<{
  users: readonly User[]
  firstId?: bigint
  /** The most that `heldBytes` may become: past it, writes that take more room answer `StorageFull`. None by default. */
  ceilingBytes?: number
}>

/** Keeps everything in this process, for as long as the process runs. */
export const memoryStorage = ({
  users,
  firstId = 1n,
  ceilingBytes = Number.POSITIVE_INFINITY,
}: MemoryOptions): MemoryStorage => {
  const table = new SnippetTable({ firstId, ceiling: ceilingBytes })
  return { snippets: snippetStore(table), users: userStore(users), heldBytes: () => table.held }
}

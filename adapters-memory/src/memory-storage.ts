import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { snippetStore } from './snippet-store.js'
import { userStore } from './user-store.js'

export type MemoryStorage = Readonly<{ snippets: SnippetStore; users: UserStore }>

export type MemoryOptions = Readonly<{ users: readonly User[]; firstId?: bigint }>

/** Keeps everything in this process, for as long as the process runs. */
export const memoryStorage = ({ users, firstId = 1n }: MemoryOptions): MemoryStorage => ({
  snippets: snippetStore(firstId),
  users: userStore(users),
})

import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { concurrencyContract } from './concurrency.js'
import { idsContract } from './ids.js'
import { pagesContract } from './pages.js'
import { streamContract } from './stream.js'
import { usersContract } from './users.js'
import { writesContract } from './writes.js'

export type OpenStorage = Readonly<{ snippets: SnippetStore; users: UserStore; close: () => Promise<void> }>

/** Each `open` is a new, empty storage, whose first id is `firstId` or 1 and whose users are `users` or none. */
export type StorageHarness = Readonly<{
  open: (options: { firstId?: bigint; users?: readonly User[] }) => Promise<OpenStorage>
}>

/** Every sentence of the ports, for any storage to be held against. */
export const storageContract = (name: string, harness: StorageHarness): void => {
  describe(`${name} as a storage`, () => {
    idsContract(harness)
    writesContract(harness)
    concurrencyContract(harness)
    pagesContract(harness)
    streamContract(harness)
    usersContract(harness)
  })
}

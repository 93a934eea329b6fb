import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'

export type OpenStorage = Readonly<{ snippets: SnippetStore; users: UserStore; close: () => Promise<void> }>

/** Each `open` is a new, empty storage, whose first id is `nextId` or 1 and whose users are `users` or none. */
export type StorageHarness = Readonly<{
  open: (options: { nextId?: bigint; users?: readonly User[] }) => Promise<OpenStorage>
}>

/** What every storage must keep, as the ports say it. */
export const storageContract = (name: string, harness: StorageHarness): void => {
  describe(`${name} as a storage`, () => {
    it('opens', async () => {
      await (await harness.open({})).close()
    })
  })
}

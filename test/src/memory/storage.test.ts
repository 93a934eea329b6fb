import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { storageContract } from '../contracts/storage/storage-contract.js'
import { storedKeys } from '../support/storage/stored-keys.js'

storageContract('memory', {
  open: async ({ firstId, users = [] }) => createMemoryStorage({ users }, firstId),
  openCounting: async () => {
    const storage = createMemoryStorage({ users: [] })
    return { ...storage, countKeys: () => storedKeys(storage) }
  },
  openSmall: async () => createMemoryStorage({ users: [], ceilingBytes: 256 * 1024 }),
})

import { createMemoryStorage, type MemoryOptions } from '@snippets/adapters-memory/memory-storage.js'
import { storageContract } from '../contracts/storage/storage-contract.js'
import { storedKeys } from '../support/storage/stored-keys.js'

const open = async (options: MemoryOptions) => createMemoryStorage(options)

storageContract('memory', {
  open: ({ firstId, users = [] }) => open({ users, ...(firstId !== undefined && { firstId }) }),
  openCounting: async () => {
    const storage = await open({ users: [] })
    return { ...storage, countKeys: () => storedKeys(storage) }
  },
  openSmall: () => open({ users: [], ceilingBytes: 256 * 1024 }),
})

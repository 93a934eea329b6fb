import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { storageContract } from '../contracts/storage/storage-contract.js'

storageContract('memory', {
  open: async ({ firstId, users = [] }) => ({
    ...memoryStorage({ users, ...(firstId !== undefined && { firstId }) }),
    close: async () => {},
  }),
})

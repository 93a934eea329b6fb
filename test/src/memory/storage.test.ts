import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { storageContract } from '../contracts/storage-contract.js'

storageContract('memory', {
  open: async ({ nextId, users = [] }) => ({
    ...memoryStorage({ users, ...(nextId !== undefined && { nextId }) }),
    close: async () => {},
  }),
})

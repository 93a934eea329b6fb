import { type MemoryOptions, memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { storageContract } from '../contracts/storage/storage-contract.js'

const open = async (options: MemoryOptions) => memoryStorage(options)

storageContract('memory', {
  open: ({ firstId, users = [] }) => open({ users, ...(firstId !== undefined && { firstId }) }),
  openSmall: () => open({ users: [], ceilingBytes: 256 * 1024 }),
})

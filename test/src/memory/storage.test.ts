import { type MemoryOptions, memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { isRight } from 'fp-ts/lib/Either.js'
import { storageContract } from '../contracts/storage/storage-contract.js'
import { draft } from '../support/snippets.js'

const open = async (options: MemoryOptions) => memoryStorage(options)
const openSmall = () => open({ users: [], ceilingBytes: 256 * 1024 })

storageContract('memory', {
  open: ({ firstId, users = [] }) => open({ users, ...(firstId !== undefined && { firstId }) }),
  openSmall,
  openFillable: async () => {
    const storage = await openSmall()
    const fill = async (): Promise<void> => {
      while (isRight(await storage.snippets.create(draft())()));
    }
    return { ...storage, fill }
  },
})

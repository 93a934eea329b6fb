import { openDirectoryTarget } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { storageContract } from '../../contracts/storage/storage-contract.js'
import { must } from '../../support/snippets.js'
import { directories, openDirectory } from '../../support/storage/data-directory.js'
import { storedKeys } from '../../support/storage/stored-keys.js'

describe('Memory storage with a directory', () => {
  const newDirectory = directories()

  /** Creates a directory whose next id is `firstId`. */
  const directoryWith = async (firstId: bigint): Promise<string> => {
    const directory = await newDirectory()
    const { begin, finish, close } = must(await openDirectoryTarget(directory)())
    for (const step of [begin(firstId - 1n), finish, close]) must(await step())
    return directory
  }

  storageContract('memory with a directory', {
    open: async ({ firstId, ...options }) =>
      openDirectory(await (firstId === undefined ? newDirectory() : directoryWith(firstId)), options),
    openCounting: async () => {
      const directory = await newDirectory()
      const storage = await openDirectory(directory)
      const countKeys = async () => {
        await storage.close()
        const reopened = await openDirectory(directory)
        return storedKeys(reopened).finally(reopened.close)
      }
      return { ...storage, countKeys }
    },
    openSmall: async () => openDirectory(await newDirectory(), { ceilingBytes: 256 * 1024 }),
  })
})

import { storageContract } from '../../contracts/storage/storage-contract.js'
import { directories, openDirectory } from '../../support/storage/data-directory.js'

describe('Memory storage with a directory', () => {
  const newDirectory = directories()
  storageContract('memory with a directory', {
    open: async options => openDirectory(await newDirectory(), options),
    openSmall: async () => openDirectory(await newDirectory(), { ceilingBytes: 256 * 1024 }),
  })
})

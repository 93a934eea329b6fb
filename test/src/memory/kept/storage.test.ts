import { storageContract } from '../../contracts/storage/storage-contract.js'
import { directories, openKept } from '../../support/storage/kept.js'

describe('Memory storage with a directory', () => {
  const newDirectory = directories()
  storageContract('memory with a directory', {
    open: async options => openKept(await newDirectory(), options),
    openSmall: async () => openKept(await newDirectory(), { ceilingBytes: 1024 * 1024 }),
  })
})

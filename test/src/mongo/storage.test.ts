import { storageContract } from '../contracts/storage/storage-contract.js'
import { describeMongo, openPrepared, sharedDatabase } from '../support/mongo/database.js'

describeMongo('MongoDB', engine => {
  storageContract('MongoDB', {
    open: async options => {
      const { url, drop } = sharedDatabase(engine)
      const storage = await openPrepared(url, options)
      const close = async (): Promise<void> => {
        await storage.close()
        await drop()
      }
      return { ...storage, close }
    },
  })
})

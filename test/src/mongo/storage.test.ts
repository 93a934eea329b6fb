import { storageContract } from '../contracts/storage/storage-contract.js'
import { describeMongo, freshDatabase, openPrepared } from '../support/mongo/database.js'

describeMongo('MongoDB', engine => {
  storageContract('MongoDB', {
    open: async ({ firstId, users = [] }) => {
      const { url, drop } = freshDatabase(engine)
      const {
        snippets,
        users: userStore,
        close,
      } = await openPrepared(url, {
        users,
        ...(firstId !== undefined && { firstId }),
      })
      return {
        snippets,
        users: userStore,
        close: async () => {
          await close()
          await drop()
        },
      }
    },
  })
})

import { storageContract } from '../contracts/storage/storage-contract.js'
import { describeMongo, openPrepared, sharedDatabase } from '../support/mongo/database.js'
import { rejectWrites } from '../support/mongo/rejected-writes.js'
import { replicaSetFront } from '../support/mongo/replica-set-front.js'

describeMongo('MongoDB', engine => {
  const open = async (options: Parameters<typeof openPrepared>[1] = {}) => {
    const { url, db, drop } = sharedDatabase(engine)
    const storage = await openPrepared(url, options)
    const close = async (): Promise<void> => {
      await storage.close()
      await drop()
    }
    const rows = db.collection<Readonly<{ _id: bigint; title: unknown }>>('snippets')
    return { ...storage, close, corrupt: (id: bigint) => rows.updateOne({ _id: id }, { $set: { title: 7 } }) }
  }

  storageContract('MongoDB', {
    open,
    openCorruptible: open,
    openForbidding: async () => {
      const { url, drop } = sharedDatabase(engine)
      const front = await replicaSetFront(url)
      const storage = await openPrepared(front.url)
      const close = async (): Promise<void> => {
        await storage.close()
        front.close()
        await drop()
      }
      return { ...storage, close, forbidWrites: () => front.intercept(rejectWrites(13)) }
    },
  })
})

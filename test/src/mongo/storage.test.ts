import { counterDocumentsIn } from '@snippets/adapters-mongo/snippets/id-counter.js'
import type { Id } from '@snippets/domain/values/id.js'
import { type Db, Long } from 'mongodb'
import { type StorageOptions, storageContract } from '../contracts/storage/storage-contract.js'
import { describeMongo, openPrepared, type RawDocument, sharedDatabase } from '../support/mongo/database.js'

/** Counts the claims that the TTL index does not remove. */
const countKeys = async (db: Db): Promise<number> => {
  const claims = db.collection('idempotency_keys')
  const expiry = (await claims.indexes()).find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
  const lifetimeMs = expiry === undefined ? Date.now() : Number(expiry.expireAfterSeconds) * 1000
  return claims.countDocuments({ created_at: { $gt: new Date(Date.now() - lifetimeMs) } })
}

describeMongo('MongoDB', engine => {
  const open = async ({ firstId, ...options }: StorageOptions) => {
    const { url, db, drop } = sharedDatabase(engine)
    if (firstId !== undefined)
      await counterDocumentsIn(db).insertOne({ _id: 'snippets', last: Long.fromBigInt(firstId - 1n) })
    const storage = await openPrepared(url, options)
    const close = () => storage.close().finally(drop)
    const corrupt = (id: Id) => db.collection<RawDocument>('snippets').updateOne({ _id: id }, { $set: { title: '' } })
    return { ...storage, close, corrupt, countKeys: () => countKeys(db) }
  }
  storageContract('MongoDB', { open, mayBeBusy: true, openCounting: () => open({}), openCorruptible: () => open({}) })
})

import { randomBytes } from 'node:crypto'
import { type MongoOptions, type MongoStorage, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { type Db, MongoClient } from 'mongodb'

const { MONGODB_URL } = process.env

/** Like `describe`, but only where this run has a MongoDB. */
export const describeMongo = (title: string, define: (url: string) => void): void => {
  if (MONGODB_URL !== undefined) describe(title, () => define(MONGODB_URL))
}

export type TestDatabase = Readonly<{ url: string; db: Db; drop: () => Promise<void> }>

/** A new, empty database, with a plain client to look into it. */
export const freshDatabase = (engine: string): TestDatabase => {
  const name = `test_${randomBytes(8).toString('hex')}`
  const url = engine.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`)
  const client = new MongoClient(url, { useBigInt64: true, writeConcern: { w: 'majority' } })
  const db = client.db()
  return {
    url,
    db,
    drop: async () => {
      await db.dropDatabase()
      await client.close()
    },
  }
}

export const silent = { info: () => {}, warn: () => {} }

type OpenOptions = Partial<Pick<MongoOptions, 'users' | 'firstId' | 'onBatch' | 'log'>>

/** Opens the storage on a database, and waits for its indexes and users. */
export const openPrepared = async (url: string, options: OpenOptions = {}): Promise<MongoStorage> => {
  const storage = openMongoStorage({ url, users: [], log: silent, ...options })
  await storage.prepared
  await storage.indexed
  return storage
}

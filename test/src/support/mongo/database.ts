import { randomBytes } from 'node:crypto'
import { type MongoOptions, type MongoStorage, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import { makeSnippetDocument } from '@snippets/adapters-mongo/snippets/snippet-document.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { type BSON, type Db, MongoClient } from 'mongodb'
import { silentLog } from '../service/logs.js'
import { anId, draft } from '../snippets.js'
import { replicaSetFront } from './replica-set-front.js'

/** Empty databases with indexes that no test uses now. */
const idle: FreshDatabase[] = []

/** Calls `describe` if this run has a MongoDB. */
export const describeMongo = (title: string, define: (engine: string) => void): void => {
  const engine = process.env.MONGODB_URL
  if (engine === undefined) return
  describe(title, () => {
    define(engine)
    after(async () => {
      for (const { drop } of idle.splice(0)) await drop()
    })
  })
}

export const documentOf = (id: number, given: Parameters<typeof draft>[0] = {}) =>
  makeSnippetDocument(firstVersion(anId(BigInt(id)), draft(given)))

/** A document as an operator may store it. */
export type RawDocument = Readonly<{ _id: string | bigint | BSON.BSONValue; [field: string]: unknown }>

export type FreshDatabase = Readonly<{ url: string; db: Db; drop: () => Promise<void> }>

/** Creates a new, empty database with a client of its own. */
export const freshDatabase = (engine: string): FreshDatabase => {
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

/** Returns an empty database. Tests use it one after the other, because indexes take most of the time of a test. */
export const sharedDatabase = (engine: string): FreshDatabase => {
  const database = idle.shift() ?? freshDatabase(engine)
  const empty = async (): Promise<void> => {
    for (const collection of await database.db.collections()) await collection.deleteMany({})
    idle.push(database)
  }
  return { ...database, drop: empty }
}

type OpenOptions = Partial<Pick<MongoOptions, 'users' | 'log'>>

type FrontOptions = OpenOptions & Readonly<{ query?: string; isSharded?: boolean }>

/** Opens the storage on a database. Resolves when its indexes and users exist. */
export const openPrepared = async (url: string, options: OpenOptions = {}): Promise<MongoStorage> => {
  const storage = openMongoStorage({ url, users: [], log: silentLog, ...options })
  await storage.whenPrepared()
  await storage.whenIndexed()
  return storage
}

/** Calls `describeMongo` with an empty database for each test. */
export const describeWithDatabase = (title: string, define: (mongo: ReturnType<typeof mongoForEach>) => void): void =>
  describeMongo(title, engine => define(mongoForEach(engine)))

/** Gives each test of a describe block an empty database. Closes everything that the test opened. */
export const mongoForEach = (engine: string, newDatabase = sharedDatabase) => {
  let database: FreshDatabase
  const opened: Readonly<{ close: () => unknown }>[] = []
  /** Closes the argument after the test. */
  const closing = <A extends Readonly<{ close: () => unknown }>>(one: A): A => {
    opened.unshift(one)
    return one
  }
  beforeEach(() => {
    database = newDatabase(engine)
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
    await database.drop()
  })
  /** Calls `openPrepared` with the URL of the database or with another URL that leads to it. */
  const open = async ({ url = database.url, ...options }: OpenOptions & Readonly<{ url?: string }> = {}) =>
    closing(await openPrepared(url, options))
  const newFront = async (isSharded = false) => closing(await replicaSetFront(database.url, isSharded))
  return {
    url: () => database.url,
    db: () => database.db,
    collection: (name = 'snippets') => database.db.collection<RawDocument>(name),
    open,
    newFront,
    /** Opens a storage behind a front. `query` ends its URL. */
    openBehindFront: async ({ query = '', isSharded = false, ...options }: FrontOptions = {}) => {
      const front = await newFront(isSharded)
      return { front, ...(await open({ url: front.url + query, ...options })) }
    },
    closing,
  }
}

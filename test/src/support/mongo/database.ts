import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type MongoStorage, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { User } from '@snippets/domain/user.js'
import { type Db, MongoClient } from 'mongodb'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'

const { MONGO_IMAGE = 'mongo:8', MONGODB_URL } = process.env

export type StartedMongo = Readonly<{ url: string; stop: () => Promise<void> }>

/** Starts an engine for a run of the tests, as a replica set of one. `undefined` where no Docker engine answers. */
export const startMongo = async (): Promise<StartedMongo | undefined> => {
  try {
    await getContainerRuntimeClient()
  } catch {
    return undefined
  }
  const container = await new GenericContainer(MONGO_IMAGE)
    .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
    .withEnvironment({ REPLICA_SET: 'rs0' })
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .start()
  const stop = async (): Promise<void> => {
    await container.stop()
  }
  const url = `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`
  try {
    await becomePrimary(url)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A mongod waits to be told of its set; an engine that is primary from the start knows no such command. */
const becomePrimary = async (url: string): Promise<void> => {
  const client = new MongoClient(url)
  try {
    const admin = client.db('admin')
    await admin
      .command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'localhost:27017' }] } })
      .catch(() => undefined)
    const isPrimary = async () => {
      const { isWritablePrimary } = await admin.command({ hello: 1 })
      return isWritablePrimary === true
    }
    while (!(await isPrimary())) await pause(100)
  } finally {
    await client.close()
  }
}

/** Where the engine of this run is, if there is one. */
export const mongoUrl = (): string | undefined => MONGODB_URL

/** The same engine, another database. */
export const withDatabase = (url: string, name: string): string =>
  url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`)

/** Defines the suite when this run has an engine. */
export const describeMongo = (title: string, define: (url: string) => void): void => {
  const url = mongoUrl()
  if (url !== undefined) describe(title, () => define(url))
}

export type TestDatabase = Readonly<{ url: string; db: Db; drop: () => Promise<void> }>

/** An empty database that nobody else uses, and a plain client's view of it. */
export const freshDatabase = (engine: string): TestDatabase => {
  const url = withDatabase(engine, `test_${randomBytes(8).toString('hex')}`)
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

type OpenOptions = Readonly<{ users?: readonly User[]; firstId?: bigint }>

/** The storage on this database, with its indexes and users in place. */
export const openPrepared = async (url: string, options: OpenOptions = {}): Promise<MongoStorage> => {
  const storage = openMongoStorage({ url, users: [], log: silent, ...options })
  await storage.prepared
  return storage
}

import type { StorageName } from '@snippets/apps/settings/storage-settings.js'
import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { BSON, type Db, type Document, MongoClient } from 'mongodb'
import { openPrepared } from '../support/mongo/database.js'

type DatabaseFixture = Readonly<{
  /** The file of the fixture in the folder of a release. Earlier releases may lack it. */
  file: `${string}.json`
  /** Returns everything that a database holds, as the text of the file. */
  read: (url: string) => Promise<string>
  /** Fills an empty database with the text of the file. */
  fill: (url: string, text: string) => Promise<void>
  /** Resolves when the storage is prepared. */
  open: (url: string, users: readonly User[]) => Promise<Storage>
}>

const onMongo = async <A>(url: string, work: (db: Db) => Promise<A>): Promise<A> => {
  const client = new MongoClient(url, { useBigInt64: true, writeConcern: { w: 'majority' } })
  return work(client.db()).finally(() => client.close())
}

/** How a release keeps the rows of each database. The compiler names a storage that is missing. */
export const databaseFixtures: Readonly<Record<Exclude<StorageName, 'memory'>, DatabaseFixture>> = {
  mongo: {
    file: 'mongodb.json',
    read: url =>
      onMongo(url, async db => {
        const collections = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort()
        const options = { promoteValues: false, useBigInt64: false }
        const documents = await Promise.all(
          collections.map(name => db.collection(name, options).find().sort({ _id: 1 }).toArray()),
        )
        const byCollection = Object.fromEntries(collections.map((name, i) => [name, documents[i]]))
        return `${BSON.EJSON.stringify(byCollection, undefined, 1, { relaxed: false })}\n`
      }),
    fill: (url, text) =>
      onMongo(url, async db => {
        const collections: Readonly<Record<string, Document[]>> = BSON.EJSON.parse(text, { relaxed: false })
        for (const [name, documents] of Object.entries(collections))
          if (documents.length > 0) await db.collection(name).insertMany(documents)
      }),
    open: (url, users) => openPrepared(url, { users }),
  },
}

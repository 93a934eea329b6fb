import { type Db, MongoClient } from 'mongodb'

export type IndexBuilds = Readonly<{
  /** Runs the work on connections of its own, and closes them afterwards. */
  run: (work: (db: Db) => Promise<void>) => Promise<void>
  /** Fails the work that is under way; the database may go on with its build. */
  stop: () => Promise<void>
}>

/** An index build answers when it is done, which may take hours: its connection has no socket timeout. A second one asks how far it is. */
export const indexBuildsOn = (url: string, database: string): IndexBuilds => {
  let open: MongoClient | undefined
  return {
    run: async work => {
      open = new MongoClient(url, { socketTimeoutMS: 0, maxPoolSize: 2, writeConcern: { w: 'majority' } })
      try {
        await work(open.db(database))
      } finally {
        await open.close()
      }
    },
    stop: async () => open?.close(),
  }
}

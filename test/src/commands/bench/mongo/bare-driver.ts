import { connectionTo } from '@snippets/adapters-mongo/connection/connection.js'
import type { Collection } from 'mongodb'
import { silent } from '../../../support/mongo/database.js'
import { idOf, newContent, newTitle, type Operations } from './operations.js'

/**
 * What the service asks of the database, without a check. The driver is given the same options, as its timeouts cost, too.
 */
export const bareDriver = async (url: string): Promise<Operations> => {
  const { db, connect } = connectionTo(url, silent)
  const snippets: Collection<{ _id: bigint }> = db.collection('snippets', { readConcern: { level: 'majority' } })
  const written: Collection<{ _id: bigint }> = db.collection('written_by_driver')
  await connect()
  let lastId = 0n
  return {
    detail: asked => {
      const _id = idOf(asked)
      return () => snippets.findOne({ _id })
    },
    page: () => async () => {
      const filter = { language: 'python' }
      const sort = { created_at: -1, _id: -1 } as const
      const rows = snippets.find(filter, { sort, skip: 20, limit: 10 }).toArray()
      await Promise.all([rows, snippets.countDocuments(filter)])
    },
    patch: asked => {
      const _id = idOf(asked)
      const change = { $set: { title: newTitle(asked) }, $inc: { version: 1 } }
      return () => snippets.findOneAndUpdate({ _id }, change, { returnDocument: 'after' })
    },
    create: asked => {
      const document = { _id: ++lastId, ...newContent(asked), created_at: new Date(), version: 1 }
      return () => written.insertOne(document)
    },
  }
}

import type { Row, RowStore } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Document } from 'mongodb'
import { clientFor } from './connection/connection.js'
import { insertNew } from './documents/refusals.js'
import { type Counter, idCounter } from './snippets/id-counter.js'
import { decodeSnippet, type SnippetDocument, snippetDocument } from './snippets/snippet-document.js'
import { decodeUser, type UserDocument, userDocument } from './users/user-store.js'

const batchSize = 500

/** A batch of a transfer is larger than what a request asks for, and may take longer. */
const patience = { socketTimeoutMS: 60_000 }

/** The rows of a database. Others may write to it meanwhile. */
export const openMongoRows = (url: string): Promise<RowStore> => connect(url).catch(explain)

const connect = async (url: string): Promise<RowStore> => {
  const { client, db } = clientFor(url, patience)
  const users = db.collection<UserDocument>('users')
  const snippets = db.collection<SnippetDocument>('snippets')
  const ids = idCounter(db.collection<Counter>('counters'), snippets)
  await client.connect().catch(async error => {
    await client.close()
    throw error
  })
  return {
    lastId: () => ids.largest().catch(explain),
    async *rows() {
      try {
        for await (const batch of batchesOf(users)) yield batch.map(userRow)
        for await (const batch of batchesOf(snippets)) yield batch.map(snippetRow)
      } catch (error) {
        explain(error)
      }
    },
    add: async rows => {
      const newUsers = rows.flatMap(({ kind, row }) => (kind === 'user' ? [userDocument(row)] : []))
      const newSnippets = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [snippetDocument(row)] : []))
      await insertNew(users, newUsers).catch(explain)
      await insertNew(snippets, newSnippets).catch(explain)
    },
    raiseLastId: id => ids.raise(id).catch(explain),
    close: () => client.close(),
  }
}

/** The driver's messages name hosts, but no passwords. */
const explain = (error: unknown): never => {
  throw new Error(`failed (${error instanceof Error ? error.message : error})`)
}

async function* batchesOf<D extends Document>(collection: Collection<D>): AsyncGenerator<readonly Document[]> {
  const cursor = collection.find({}, { sort: { _id: 1 }, batchSize })
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments()
  } finally {
    await cursor.close()
  }
}

const userRow = (document: Document): Row => {
  const user = decodeUser(document)
  if (E.isLeft(user)) throw user.left.cause
  return { kind: 'user', row: user.right }
}

const snippetRow = (document: Document): Row => {
  const snippet = decodeSnippet(document)
  if (E.isLeft(snippet)) throw snippet.left.cause
  return { kind: 'snippet', row: snippet.right }
}

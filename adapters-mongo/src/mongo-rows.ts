import type { Row, RowStore } from '@snippets/domain/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Collection, Db, Document } from 'mongodb'
import { clientFor } from './connection/connection.js'
import type { Decode } from './documents/document-codec.js'
import { refusedInserts } from './documents/refusals.js'
import { type Counter, idCounter } from './snippets/id-counter.js'
import { decodeSnippet, type SnippetDocument, snippetDocument } from './snippets/snippet-document.js'
import { decodeUser, type UserDocument, userDocument } from './users/user-store.js'

const batchSize = 500

/** A batch of a transfer is larger than what a request asks for, and may take longer. */
const patience = { socketTimeoutMS: 60_000 }

/** The rows of a database. Others may write to it meanwhile. */
export const openMongoRows = (url: string): TE.TaskEither<string, RowStore> => {
  const open = async (): Promise<RowStore> => {
    const { client, db } = clientFor(url, patience)
    try {
      await client.connect()
    } catch (error) {
      await client.close()
      throw error
    }
    return { ...mongoRows(db), close: () => client.close() }
  }
  return attempt(open)
}

/** The driver's messages name hosts, but no passwords. */
const attempt = <A>(work: () => Promise<A>): TE.TaskEither<string, A> =>
  TE.tryCatch(work, error => `failed (${error instanceof Error ? error.message : error})`)

const mongoRows = (db: Db): Omit<RowStore, 'close'> => {
  const ids = idCounter(db.collection<Counter>('counters'), db.collection<SnippetDocument>('snippets'))
  const userTable = table(
    db.collection('users'),
    row => (row.kind === 'user' ? [userDocument(row.row)] : []),
    decodeRow(decodeUser, row => ({ kind: 'user', row })),
  )
  const snippetTable = table(
    db.collection('snippets'),
    row => (row.kind === 'snippet' ? [snippetDocument(row.row)] : []),
    decodeRow(decodeSnippet, row => ({ kind: 'snippet', row })),
  )
  return {
    lastId: attempt(ids.largest),
    rows: async function* () {
      yield* userTable.rows()
      yield* snippetTable.rows()
    },
    add: rows => attempt(async () => [...(await userTable.add(rows)), ...(await snippetTable.add(rows))]),
    raiseLastId: id => attempt(() => ids.raise(id)),
  }
}

type RowDocument = UserDocument | SnippetDocument

const table = (
  collection: Collection<RowDocument>,
  documentsOf: (row: Row) => readonly RowDocument[],
  toRow: (document: Document) => Row,
) => ({
  rows: async function* (): AsyncGenerator<E.Either<string, readonly Row[]>> {
    const cursor = collection.find({}, { sort: { _id: 1 }, batchSize })
    const next = attempt(async () => ((await cursor.hasNext()) ? cursor.readBufferedDocuments().map(toRow) : []))
    try {
      for (;;) {
        const batch = await next()
        if (E.isLeft(batch) || batch.right.length > 0) yield batch
        if (E.isLeft(batch) || batch.right.length === 0) return
      }
    } finally {
      await cursor.close()
    }
  },
  /** Returns the rows that exist. */
  add: async (rows: readonly Row[]): Promise<readonly Row[]> => {
    const documents = rows.flatMap(documentsOf)
    if (documents.length === 0) return []
    const refused = await collection.insertMany(documents, { ordered: false }).then(() => new Map(), refusedInserts)
    const ids = documents.flatMap(({ _id }, i) => (refused.has(i) ? [_id] : []))
    return ids.length === 0 ? [] : (await collection.find({ _id: { $in: ids } }).toArray()).map(toRow)
  },
})

const decodeRow =
  <A>(decode: Decode<A>, toRow: (row: A) => Row) =>
  (document: Document): Row => {
    const row = decode(document)
    if (E.isLeft(row)) throw row.left.cause
    return toRow(row.right)
  }

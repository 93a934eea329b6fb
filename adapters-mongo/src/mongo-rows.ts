import { type Row, type RowKind, rowCodecs } from '@snippets/domain/entities/row.js'
import type { RowBatches, RowResult, RowTarget } from '@snippets/domain/ports/row-store.js'
import { rowFailureOf, tryRows } from '@snippets/domain/ports/row-store.js'
import { namesOf } from '@snippets/domain/values/record.js'
import type { Decode } from '@snippets/remote-storage/decode-rows.js'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb'
import { asRaw, type RawRow, readBatch } from './collections/raw-rows.js'
import { createClient } from './connection/connection.js'
import { createIdCounter } from './snippets/id-counter.js'
import { decodeSnippet, makeSnippetDocument, snippetDocumentsIn } from './snippets/snippet-document.js'
import { decodeUser, makeUserDocument, userDocumentsIn } from './users/user-store.js'

/** Connects to a database to copy from or to. Other programs may write to the database at the same time. */
export const openMongoRows = (url: string): RowResult<RowTarget> => tryRows(() => connect(url))

const connect = async (url: string): Promise<RowTarget> => {
  // a batch of a transfer is larger than a page, so it may take longer
  const { client, db } = createClient(url, { socketTimeoutMS: 60_000 })
  const userDocuments = userDocumentsIn(db)
  const tables = {
    user: createTable('user', userDocuments, decodeUser, makeUserDocument),
    snippet: createTable('snippet', snippetDocumentsIn(db), decodeSnippet, snippet => makeSnippetDocument(snippet)),
  } satisfies Record<RowKind, unknown>
  // a transfer has no deadline
  const { lastId, raise } = createIdCounter(db, (_, send) => send({}))
  await client.connect().catch(error => client.close().then(() => Promise.reject(error)))
  async function* rows(): RowBatches {
    try {
      for (const kind of namesOf(rowCodecs)) yield* tables[kind].batches()
    } catch (error) {
      yield E.left(rowFailureOf(error))
    }
  }
  return {
    snapshot: tryRows(async () => ({ lastId: await lastId(), rows: rows() })),
    begin: newLastId =>
      tryRows(async () => {
        const isUnused = (await lastId()) === 0n && (await userDocuments.findOne({}, asRaw)) === null
        if (!isUnused) throw new Error(notEmpty)
        // before the rows are added, so that a running service does not assign their ids
        await raise(newLastId, new AbortController().signal)
      }),
    add: rows =>
      tryRows(async () => {
        for (const table of Object.values(tables)) await table.add(rows)
      }),
    finish: TE.right(undefined),
    close: tryRows(() => client.close()),
  }
}

const notEmpty =
  'is not empty. Name another target, or drop the database if it holds the rest of an interrupted transfer'

/** Reads the rows of a kind in their collection, and adds rows of this kind. */
const createTable = <K extends RowKind, D extends Document>(
  kind: K,
  collection: Collection<D>,
  decode: Decode<Row<K>['entity'], RawRow>,
  makeDocument: (entity: Row<K>['entity']) => OptionalUnlessRequiredId<D>,
) => ({
  /** Reads the rows by ascending id. Throws at a malformed row. */
  async *batches(): RowBatches<Row<K>> {
    const cursor = collection.find<RawRow>({}, { sort: { _id: 1 }, batchSize: 500, ...asRaw })
    for (let batch = await readBatch(cursor); batch.length > 0; batch = await readBatch(cursor)) {
      const decoded = E.traverseArray(decode)(batch)
      if (E.isLeft(decoded)) throw decoded.left.cause
      yield E.right(decoded.right.map(entity => ({ kind, entity })))
    }
  },
  add: async (rows: readonly Row[]): Promise<void> => {
    const own = rows.filter((row): row is Row & Row<K> => row.kind === kind)
    const documents = own.map(({ entity }) => makeDocument(entity))
    if (documents.length > 0) await collection.insertMany(documents)
  },
})

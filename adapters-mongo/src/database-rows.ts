import { rowFailure } from '@snippets/domain/ports/errors.js'
import type { Row, RowBatches, RowResult, RowTarget } from '@snippets/domain/ports/row-store.js'
import type { Decode } from '@snippets/remote-storage/decode-rows.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Collection, Document } from 'mongodb'
import { createClient } from './connection/connection.js'
import { countersIn, idCounter } from './snippets/id-counter.js'
import { decodeSnippet, snippetDocument, snippetsIn } from './snippets/snippet-document.js'
import { decodeUser, userDocument, usersIn } from './users/user-store.js'

/** A batch of a transfer is larger than a page, so it may take longer. */
const driverOptions = { socketTimeoutMS: 60_000 }

/** Makes a result of work that may reject. */
const attempt = <A>(work: () => Promise<A>): RowResult<A> =>
  TE.tryCatch(work, error => rowFailure(E.toError(error).message))

/** Connects to a database to copy from or to. Other programs may write to the database at the same time. */
export const openDatabaseRows = (url: string): RowResult<RowTarget> => attempt(() => connect(url))

const connect = async (url: string): Promise<RowTarget> => {
  const { client, db } = createClient(url, driverOptions)
  const users = usersIn(db)
  const snippets = snippetsIn(db)
  const ids = idCounter(countersIn(db), snippets)
  await client.connect().catch(error => client.close().then(() => Promise.reject(error)))
  async function* rows(): RowBatches {
    try {
      yield* batchesOf(users, decodeUser, row => ({ kind: 'user', row }))
      yield* batchesOf(snippets, decodeSnippet, row => ({ kind: 'snippet', row }))
    } catch (error) {
      yield E.left(rowFailure(E.toError(error).message))
    }
  }
  return {
    snapshot: attempt(async () => ({ lastId: await ids.lastId(), rows: rows() })),
    begin: lastId =>
      pipe(
        attempt(async () => (await ids.lastId()) === 0n && (await users.findOne()) === null),
        TE.filterOrElse(
          isEmpty => isEmpty,
          () =>
            rowFailure(
              'is not empty. Name another target, or drop the database if it holds the rest of an interrupted transfer',
            ),
        ),
        // before the rows are added, so that a running service does not assign their ids
        TE.chain(() => attempt(() => ids.raise(lastId))),
      ),
    add: rows =>
      attempt(async () => {
        const newUsers = rows.flatMap(({ kind, row }) => (kind === 'user' ? [userDocument(row)] : []))
        const newSnippets = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [snippetDocument(row)] : []))
        if (newUsers.length > 0) await users.insertMany(newUsers)
        if (newSnippets.length > 0) await snippets.insertMany(newSnippets)
      }),
    finish: TE.right(undefined),
    close: attempt(() => client.close()),
  }
}

/** Reads a collection by ascending id. */
async function* batchesOf<D extends Document, A>(
  collection: Collection<D>,
  decode: Decode<A>,
  rowOf: (decoded: A) => Row,
): RowBatches {
  const cursor = collection.find({}, { sort: { _id: 1 }, batchSize: 500 })
  while (await cursor.hasNext()) {
    const decoded = E.traverseArray(decode)(cursor.readBufferedDocuments())
    if (E.isLeft(decoded)) throw decoded.left.cause
    yield E.right(decoded.right.map(rowOf))
  }
}

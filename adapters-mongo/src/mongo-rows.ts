import type { Decode } from '@snippets/application/remote-storage/decode-rows.js'
import { type Row, type RowResult, type RowTarget, rowResult } from '@snippets/domain/ports/row-store.js'
import { errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { insertNew } from './collections/insert-new.js'
import { clientFor } from './connection/connection.js'
import { countersIn, idCounter } from './snippets/id-counter.js'
import { decodeSnippet, snippetDocument, snippetsIn } from './snippets/snippet-document.js'
import { decodeUser, userDocument, usersIn } from './users/user-store.js'

/** A batch of a transfer is larger than a page, so it may take longer. */
const driverOptions = { socketTimeoutMS: 60_000 }

const idOrder = { sort: { _id: 1 } } as const

const batchSize = 500

/** Connects to a database to copy from or to. Other programs may write to the database at the same time. */
export const openMongoRows = (url: string): RowResult<RowTarget> => rowResult(() => connect(url))

const connect = async (url: string): Promise<RowTarget> => {
  const { client, db } = clientFor(url, driverOptions)
  const users = usersIn(db)
  const snippets = snippetsIn(db)
  const ids = idCounter(countersIn(db), snippets)
  await client.connect().catch(error => client.close().then(() => Promise.reject(error)))
  async function* rows(): AsyncGenerator<E.Either<string, readonly Row[]>> {
    try {
      for await (const found of inBatches(users.find({}, idOrder)))
        yield E.right(found.map(document => ({ kind: 'user', row: decodedOrThrow(decodeUser(document)) })))
      for await (const found of inBatches(snippets.find({}, idOrder)))
        yield E.right(found.map(document => ({ kind: 'snippet', row: decodedOrThrow(decodeSnippet(document)) })))
    } catch (error) {
      yield E.left(errorMessage(error))
    }
  }
  return {
    snapshot: rowResult(async () => ({ lastId: await ids.lastId(), rows: rows() })),
    remedy: 'Drop the database, and repeat the transfer',
    begin: lastId =>
      pipe(
        rowResult(async () => (await ids.lastId()) === 0n && (await users.findOne()) === null),
        TE.filterOrElse(
          isEmpty => isEmpty,
          () =>
            'is not empty. Name another target, or drop the database if it holds the rest of an interrupted transfer',
        ),
        // before the rows are added, so that a running service does not assign their ids
        TE.chain(() => rowResult(() => ids.raise(lastId))),
      ),
    add: rows =>
      rowResult(async () => {
        const newUsers = rows.flatMap(({ kind, row }) => (kind === 'user' ? [userDocument(row)] : []))
        const newSnippets = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [snippetDocument(row)] : []))
        await insertNew(users, newUsers)
        await insertNew(snippets, newSnippets)
      }),
    finish: TE.right(undefined),
    close: rowResult(() => client.close()),
  }
}

async function* inBatches<A>(items: AsyncIterable<A>): AsyncGenerator<readonly A[]> {
  let batch: A[] = []
  for await (const item of items) {
    if (batch.push(item) < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const decodedOrThrow = <A>(row: ReturnType<Decode<A>>): A => {
  if (E.isRight(row)) return row.right
  throw row.left.cause
}

import type { Decode } from '@snippets/application/remote-storage/decode-rows.js'
import { type Row, type RowResult, type RowStore, rowResult } from '@snippets/domain/ports/row-store.js'
import { errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import { insertNew } from './collections/insert-new.js'
import { clientFor } from './connection/connection.js'
import { countersIn, idCounter } from './snippets/id-counter.js'
import { decodeSnippet, snippetDocument, snippetsIn } from './snippets/snippet-document.js'
import { decodeUser, userDocument, usersIn } from './users/user-store.js'

/** A batch of a transfer is larger than a page, so it may take longer. */
const driverOptions = { socketTimeoutMS: 60_000 }

const idOrder = { sort: { _id: 1 } } as const

/** Connects to a database to read and add rows. Other programs may write to the database at the same time. */
export const openMongoRows = (url: string): RowResult<RowStore> => rowResult(() => connectRowStore(url))

const connectRowStore = async (url: string): Promise<RowStore> => {
  const { client, db } = clientFor(url, driverOptions)
  const users = usersIn(db)
  const snippets = snippetsIn(db)
  const ids = idCounter(countersIn(db), snippets)
  await client.connect().catch(error => client.close().then(() => Promise.reject(error)))
  return {
    lastId: rowResult(ids.lastId),
    async *rows(): AsyncGenerator<E.Either<string, Row>> {
      try {
        for await (const found of users.find({}, idOrder))
          yield E.right({ kind: 'user', row: decodedOrThrow(decodeUser(found)) })
        for await (const found of snippets.find({}, idOrder))
          yield E.right({ kind: 'snippet', row: decodedOrThrow(decodeSnippet(found)) })
      } catch (error) {
        yield E.left(errorMessage(error))
      }
    },
    add: rows =>
      rowResult(async () => {
        const newUsers = rows.flatMap(({ kind, row }) => (kind === 'user' ? [userDocument(row)] : []))
        const newSnippets = rows.flatMap(({ kind, row }) => (kind === 'snippet' ? [snippetDocument(row)] : []))
        await insertNew(users, newUsers)
        await insertNew(snippets, newSnippets)
      }),
    raiseLastId: id => rowResult(() => ids.raise(id)),
    close: rowResult(() => client.close()),
  }
}

const decodedOrThrow = <A>(row: ReturnType<Decode<A>>): A => {
  if (E.isRight(row)) return row.right
  throw row.left.cause
}

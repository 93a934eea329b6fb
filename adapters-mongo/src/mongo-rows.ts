import type { Corrupt } from '@snippets/domain/errors.js'
import { maxId } from '@snippets/domain/id.js'
import type { Outcome, Row, RowTarget, Summary } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Db, Document } from 'mongodb'
import { connectionTo } from './connection/connection.js'
import type { Decode } from './documents/document-codec.js'
import { refusedInserts } from './documents/refused-inserts.js'
import type { Log } from './log.js'
import { type Counter, counterName } from './snippets/id-counter.js'
import { decodeSnippet, type SnippetDocument, snippetDocument } from './snippets/snippet-document.js'
import { decodeUser, type UserDocument, userDocument } from './users/user-document.js'

type Collections = Readonly<{
  user: Collection<UserDocument>
  snippet: Collection<SnippetDocument>
  counters: Collection<Counter>
}>

const batchSize = 500

/** A batch of a transfer is larger than what a request asks for, and may take longer. */
const patient = (url: string): string =>
  /[?&]socketTimeoutMS=/i.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}socketTimeoutMS=60000`

/** A transfer reports its own failures. */
const silent: Log = { info: () => {}, warn: () => {} }

/** The rows of a database. Others may write to it meanwhile. */
export const openMongoRows = async (url: string): Outcome<RowTarget> =>
  attempt(async () => {
    const { db, connect, close } = connectionTo(patient(url), silent)
    try {
      await connect()
    } catch (error) {
      await close()
      throw error
    }
    return { ...mongoRows(collectionsOf(db)), close }
  })

const collectionsOf = (db: Db): Collections => ({
  user: db.collection('users'),
  snippet: db.collection('snippets'),
  counters: db.collection('counters'),
})

const mongoRows = (collections: Collections): Omit<RowTarget, 'close'> => ({
  summary: () => attempt(() => summaryOf(collections)),
  rows: () => allRows(collections),
  find: rows => attempt(() => findRows(collections, rows)),
  insert: rows => attempt(() => insertRows(collections, rows)),
  raiseLastId: id =>
    attempt(async () => {
      if (id > maxId) throw new Refusal(`cannot keep ${id} as its last id: the largest id is ${maxId}`)
      const last = { $max: [{ $toLong: { $ifNull: ['$last', 0n] } }, id] }
      await collections.counters.updateOne({ _id: counterName }, [{ $set: { last } }], { upsert: true })
    }),
  // every write is acknowledged by a majority
  finish: async () => E.right(undefined),
})

/** The driver's messages name hosts, but no passwords. */
const attempt = async <A>(work: () => Promise<A>): Outcome<A> => {
  try {
    return E.right(await work())
  } catch (error) {
    return E.left(
      error instanceof Refusal ? error.message : `failed (${error instanceof Error ? error.message : error})`,
    )
  }
}

/** Its message is shown as it is. */
class Refusal extends Error {}

const summaryOf = async ({ user, snippet, counters }: Collections): Promise<Summary> => {
  const counter = await counters.findOne({ _id: counterName })
  const largest = await snippet.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } })
  const [last, inUse] = [BigInt(counter?.last ?? 0n), BigInt(largest?._id ?? 0n)]
  return {
    lastId: last > inUse ? last : inUse,
    snippets: await snippet.estimatedDocumentCount(),
    isEmpty: largest === null && (await user.findOne({}, { projection: { _id: 1 } })) === null,
  }
}

async function* allRows({ user, snippet }: Collections): AsyncGenerator<E.Either<string, readonly Row[]>> {
  yield* collectionRows(user, userRow)
  yield* collectionRows(snippet, snippetRow)
}

const decoding =
  <A>(decode: Decode<A>, toRow: (row: A) => Row): ((document: Document) => Row) =>
  document => {
    const row = decode(document)
    if (E.isLeft(row)) throw new Refusal(`has a row that cannot be carried over (${reasonOf(row.left)})`)
    return toRow(row.right)
  }

const reasonOf = ({ cause }: Corrupt): unknown => (cause instanceof Error ? cause.message : cause)

const userRow = decoding(decodeUser, row => ({ kind: 'user', row }))
const snippetRow = decoding(decodeSnippet, row => ({ kind: 'snippet', row }))

async function* collectionRows<D extends UserDocument | SnippetDocument>(
  collection: Collection<D>,
  toRow: (document: Document) => Row,
): AsyncGenerator<E.Either<string, readonly Row[]>> {
  const cursor = collection.find({}, { sort: { _id: 1 }, batchSize })
  try {
    for (;;) {
      const batch = await attempt(async () =>
        (await cursor.hasNext()) ? cursor.readBufferedDocuments().map(toRow) : [],
      )
      if (E.isLeft(batch) || batch.right.length > 0) yield batch
      if (E.isLeft(batch) || batch.right.length === 0) return
    }
  } finally {
    await cursor.close()
  }
}

const findRows = async ({ user, snippet }: Collections, rows: readonly Row[]): Promise<readonly Row[]> => {
  const idsOf = (wanted: Row['kind']) => rows.filter(({ kind }) => kind === wanted).map(({ row }) => row.id)
  const [users, snippets] = await Promise.all([
    user.find({ _id: { $in: idsOf('user') } }).toArray(),
    snippet.find({ _id: { $in: idsOf('snippet') } }).toArray(),
  ])
  return [...users.map(userRow), ...snippets.map(snippetRow)]
}

const insertRows = async ({ user, snippet }: Collections, rows: readonly Row[]): Promise<void> => {
  const users = rows.flatMap(row => (row.kind === 'user' ? [userDocument.encode(row.row)] : []))
  const snippets = rows.flatMap(row => (row.kind === 'snippet' ? [snippetDocument.encode(row.row)] : []))
  if (users.length > 0) await refusing(user.insertMany(users, { ordered: false }))
  if (snippets.length > 0) await refusing(snippet.insertMany(snippets, { ordered: false }))
}

const refusing = async (inserting: Promise<unknown>): Promise<void> => {
  try {
    await inserting
  } catch (error) {
    if (refusedInserts(error).size > 0)
      throw new Refusal('has been written to meanwhile: an id that was free is taken. Stop what writes there')
  }
}

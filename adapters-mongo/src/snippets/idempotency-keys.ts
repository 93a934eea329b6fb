import type { Log } from '@snippets/application/log.js'
import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { type Corrupt, corrupt } from '@snippets/domain/ports/errors.js'
import { type IdempotencyRecord, keyLifetimeMs } from '@snippets/domain/ports/idempotency-key.js'
import { idFrom } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Db, Document, Filter } from 'mongodb'
import { ensureIndex } from '../collections/ensure-index.js'
import { localRead, lookupMs } from '../collections/time-limits.js'
import { type SnippetDocument, snippetsIn } from './snippet-document.js'

/** The key of a snippet that has been deleted. */
type KeyOfDeletedSnippet = Readonly<{ _id: string; id: bigint; created_at: Date; fingerprint: string }>

export type IdempotencyKeys = ReturnType<typeof idempotencyKeys>

export const hasNoKey = { idempotency_key: { $exists: false } } as const

/** Reads need a majority: an election could roll back an unconfirmed key and its snippet after a retry got them. */
const keysOfDeletedIn = (db: Db) =>
  db.collection<KeyOfDeletedSnippet>('deleted_snippet_keys', { readConcern: { level: 'majority' } })

/**
 * Makes the indexes of keys. Returns false if the database rejects the unique index, as it does on a sharded collection
 * or if a key occurs twice. A TTL index deletes documents, so it is only on the keys of deleted snippets.
 */
export const ensureKeyIndexes = async (db: Db, log: Log): Promise<boolean> => {
  const expiry = { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: keyLifetimeMs / 1000 } as const
  await ensureIndex(keysOfDeletedIn(db), expiry, log, 'keys of deleted snippets may expire too early or late, or never')
  const unique = { key: { 'idempotency_key.key': 1 }, name: 'idempotency_key', unique: true, sparse: true } as const
  const consequence = 'requests with an Idempotency-Key get 503: remove the cause and restart the service'
  return ensureIndex(snippetsIn(db), unique, log, consequence)
}

export const idempotencyKeys = (db: Db) => {
  const [snippets, keysOfDeleted] = [snippetsIn(db), keysOfDeletedIn(db)]
  return {
    /** Returns the record of each key, also if the key has expired. */
    find: async (keys: readonly string[]): Promise<ReadonlyMap<string, E.Either<Corrupt, IdempotencyRecord>>> => {
      const projection = { created_at: 1, idempotency_key: 1 }
      // snippets first: a delete copies the key before it removes the snippet, so one of the two reads finds the key
      const inUse = await snippets
        .find({ 'idempotency_key.key': { $in: [...keys] } }, { projection, maxTimeMS: lookupMs })
        .toArray()
      const deleted = await keysOfDeleted.find({ _id: { $in: [...keys] } }, { maxTimeMS: lookupMs }).toArray()
      return new Map([
        ...deleted.map(document => [document._id, decodeRecord(document)] as const),
        ...inUse.map(
          ({ _id: id, created_at, idempotency_key: stored }) =>
            [stored?.key ?? '', decodeRecord({ id, created_at, ...stored })] as const,
        ),
      ])
    },
    /** Returns those of the keys that snippets have, even if a majority has not confirmed these snippets. */
    findUnconfirmed: async (keys: readonly string[]): Promise<ReadonlySet<string | undefined>> => {
      const options = { ...localRead, projection: { idempotency_key: 1 } }
      const found = await snippets.find({ 'idempotency_key.key': { $in: [...keys] } }, options).toArray()
      return new Set(found.map(({ idempotency_key }) => idempotency_key?.key))
    },
    /** Removes these keys from snippets created at or before `createdUntil`. */
    release: (keys: readonly string[], createdUntil: Date): Promise<unknown> =>
      snippets.updateMany(
        { 'idempotency_key.key': { $in: [...keys] }, created_at: { $lte: createdUntil } },
        { $unset: { idempotency_key: '' } },
      ),
    /** Copies the key of a snippet before its deletion. Returns false if no snippet with a key matches. */
    copyKeyOf: async (filter: Filter<SnippetDocument>): Promise<boolean> => {
      const found = await snippets.findOne({ ...filter, idempotency_key: { $exists: true } }, localRead)
      if (found === null) return false
      const { key, fingerprint } = found.idempotency_key ?? {}
      // a malformed key does not prevent the deletion
      if (typeof key === 'string' && typeof fingerprint === 'string') {
        const keyOfDeleted = { id: found._id, created_at: found.created_at, fingerprint }
        await keysOfDeleted.updateOne({ _id: key }, { $set: keyOfDeleted }, { upsert: true })
      }
      return true
    },
  }
}

const decodeRecord = ({ id, created_at, fingerprint }: Document): E.Either<Corrupt, IdempotencyRecord> => {
  const stored = typeof id === 'bigint' ? id : 0n
  const valid = idFrom(stored)
  return O.isSome(valid) && created_at instanceof Date && typeof fingerprint === 'string'
    ? E.right({ id: valid.value, created_at: created_at.getTime(), fingerprint })
    : E.left(corrupt(new LoggableError(`the key of snippet ${stored} is malformed`)))
}

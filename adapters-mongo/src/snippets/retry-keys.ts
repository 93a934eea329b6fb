import type { Log } from '@snippets/application/remote-storage/log.js'
import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { type Corrupt, corrupt } from '@snippets/domain/ports/errors.js'
import { type FirstCreation, keyLifetimeMs } from '@snippets/domain/ports/retry-key.js'
import { idFrom } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Db, Document, Filter } from 'mongodb'
import { lookupMs } from '../documents/time-limits.js'
import { makeIndex } from './page-indexes.js'
import { type SnippetDocument, snippetsIn } from './snippet-document.js'

/** The key of a snippet that has been deleted. */
type DeletedKey = Readonly<{ _id: string; id: bigint; created_at: Date; fingerprint: string }>

export type RetryKeys = ReturnType<typeof retryKeys>

export const hasNoKey = { retry: { $exists: false } } as const

/** Results cannot roll back after an election, so no client learns of a creation that is lost. */
const deletedKeysIn = (db: Db) => db.collection<DeletedKey>('retry_keys', { readConcern: { level: 'majority' } })

/**
 * Returns whether keys may be used: not where the database rejects the unique index, as it does on a sharded collection or
 * where a key occurs twice. A TTL index would delete a snippet with its key; the other collection holds only keys.
 */
export const makeKeyIndexes = async (db: Db, log: Log): Promise<boolean> => {
  const expiry = { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: keyLifetimeMs / 1000 } as const
  await makeIndex(deletedKeysIn(db), expiry, log, 'the keys of deleted snippets may stay for another time than a day')
  const unique = { key: { 'retry.key': 1 }, name: 'retry_key', unique: true, sparse: true } as const
  const consequence = 'creations with an Idempotency-Key are unavailable until it is mended and the service restarted'
  return makeIndex(snippetsIn(db), unique, log, consequence)
}

export const retryKeys = (db: Db) => {
  const [snippets, deletedKeys] = [snippetsIn(db), deletedKeysIn(db)]
  return {
    /** Returns the first creation of each key, also if the key has expired. */
    find: async (keys: readonly string[]): Promise<ReadonlyMap<string, E.Either<Corrupt, FirstCreation>>> => {
      const projection = { created_at: 1, retry: 1 }
      // snippets first: a delete copies the key before it removes the snippet, so that one of both has the key
      const kept = await snippets
        .find({ 'retry.key': { $in: [...keys] } }, { projection, maxTimeMS: lookupMs })
        .toArray()
      const left = await deletedKeys.find({ _id: { $in: [...keys] } }, { maxTimeMS: lookupMs }).toArray()
      return new Map([
        ...left.map(document => [document._id, firstCreation(document)] as const),
        ...kept.map(
          ({ _id: id, created_at, retry }) => [retry?.key ?? '', firstCreation({ id, created_at, ...retry })] as const,
        ),
      ])
    },
    /** Removes these keys from snippets that were created until then. */
    release: (keys: readonly string[], createdUntil: Date): Promise<unknown> =>
      snippets.updateMany(
        { 'retry.key': { $in: [...keys] }, created_at: { $lte: createdUntil } },
        { $unset: { retry: '' } },
      ),
    /** Copies the key of a snippet before its deletion. False if no snippet with a key matches. */
    copyKeyOf: async (snippet: Filter<SnippetDocument>): Promise<boolean> => {
      const options = {
        projection: { created_at: 1, retry: 1 },
        readConcern: { level: 'local' },
        maxTimeMS: lookupMs,
      } as const
      const found = await snippets.findOne({ ...snippet, retry: { $exists: true } }, options)
      if (found === null) return false
      const { key, fingerprint } = found.retry ?? {}
      // a malformed key does not prevent the deletion of its snippet
      if (typeof key === 'string' && typeof fingerprint === 'string') {
        const kept = { id: found._id, created_at: found.created_at, fingerprint }
        await deletedKeys.updateOne({ _id: key }, { $set: kept }, { upsert: true })
      }
      return true
    },
  }
}

const firstCreation = ({ id, created_at, fingerprint }: Document): E.Either<Corrupt, FirstCreation> => {
  const stored = typeof id === 'bigint' ? id : 0n
  const valid = idFrom(stored)
  return O.isSome(valid) && created_at instanceof Date && typeof fingerprint === 'string'
    ? E.right({ id: valid.value, created_at: created_at.getTime(), fingerprint })
    : E.left(corrupt(new LoggableError(`the key of snippet ${stored} is malformed`)))
}

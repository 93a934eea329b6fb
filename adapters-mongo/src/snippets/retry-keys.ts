import { type Corrupt, corrupt } from '@snippets/domain/ports/errors.js'
import { type FirstCreation, keyLifetimeMs, type RetryKey } from '@snippets/domain/ports/retry-key.js'
import { idFrom } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Db, Document, Filter } from 'mongodb'
import { maxTimeMS } from '../connection/operation.js'
import type { Log } from '../log.js'
import { makeIndex } from './page-indexes.js'
import type { SnippetDocument } from './snippet-document.js'

/** A snippet that was created with a key carries it, so that one insert stores both. */
type KeyedDocument = SnippetDocument & Readonly<{ retry?: RetryKey }>

/** The key of a snippet that has been deleted. */
type LeftKey = Readonly<{ _id: string; id: bigint; created_at: Date; fingerprint: string }>

export type RetryKeys = ReturnType<typeof retryKeys>

export const withoutKey = { retry: { $exists: false } } as const

const collectionsOf = (db: Db) => {
  // what was found cannot roll back after an election, so nobody is told of a creation that is lost
  const settled = { readConcern: { level: 'majority' } } as const
  return {
    snippets: db.collection<KeyedDocument>('snippets', settled),
    leftKeys: db.collection<LeftKey>('retry_keys', settled),
  }
}

/**
 * No key may be used before. False where the database refuses the unique index, as it does on a sharded collection. A TTL
 * index would delete a snippet with its key; in the other collection there are only keys.
 */
export const makeKeyIndexes = async (db: Db, log: Log): Promise<boolean> => {
  const { snippets, leftKeys } = collectionsOf(db)
  await leftKeys.createIndex({ created_at: 1 }, { name: 'expiry', expireAfterSeconds: keyLifetimeMs / 1000 })
  const index = { key: { 'retry.key': 1 }, name: 'retry_key', unique: true, sparse: true } as const
  return makeIndex(snippets, index, log, 'creations with an Idempotency-Key are unavailable until the next start')
}

export const retryKeys = (db: Db) => {
  const { snippets, leftKeys } = collectionsOf(db)
  return {
    /** What was created with these keys, also a day and more ago. */
    find: async (keys: readonly string[]): Promise<ReadonlyMap<string, E.Either<Corrupt, FirstCreation>>> => {
      const projection = { created_at: 1, retry: 1 }
      // snippets first: a delete keeps the key before it removes the snippet, so a key is always in one of the two
      const kept = await snippets.find({ 'retry.key': { $in: [...keys] } }, { projection, maxTimeMS }).toArray()
      const left = await leftKeys.find({ _id: { $in: [...keys] } }, { maxTimeMS }).toArray()
      return new Map([
        ...left.map(document => [document._id, firstCreation(document)] as const),
        ...kept.map(
          ({ _id: id, created_at, retry }) => [retry?.key ?? '', firstCreation({ id, created_at, ...retry })] as const,
        ),
      ])
    },
    /** Takes a key that has expired from its snippet. */
    release: (key: string, createdAt: number): Promise<unknown> =>
      snippets.updateMany({ 'retry.key': key, created_at: new Date(createdAt) }, { $unset: { retry: '' } }),
    /** Before a snippet is deleted, keeps its key. False when no snippet with a key matches. */
    keepKeyOf: async (snippet: Filter<SnippetDocument>): Promise<boolean> => {
      const options = { projection: { created_at: 1, retry: 1 }, readConcern: { level: 'local' }, maxTimeMS } as const
      const found = await snippets.findOne({ ...(snippet as Filter<KeyedDocument>), retry: { $exists: true } }, options)
      if (found === null) return false
      const { key, fingerprint } = found.retry ?? {}
      // a malformed key keeps nobody from deleting its snippet
      if (typeof key === 'string' && typeof fingerprint === 'string') {
        const kept = { id: found._id, created_at: found.created_at, fingerprint }
        await leftKeys.updateOne({ _id: key }, { $set: kept }, { upsert: true })
      }
      return true
    },
  }
}

const firstCreation = ({ id, created_at, fingerprint }: Document): E.Either<Corrupt, FirstCreation> => {
  const valid = idFrom(typeof id === 'bigint' ? id : 0n)
  return O.isSome(valid) && created_at instanceof Date && typeof fingerprint === 'string'
    ? E.right({ id: valid.value, created_at: created_at.getTime(), fingerprint })
    : E.left(corrupt(new Error(`the key of snippet ${id} is malformed`)))
}

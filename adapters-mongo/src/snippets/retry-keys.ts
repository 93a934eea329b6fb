import { type Corrupt, corrupt } from '@snippets/domain/errors.js'
import { idFrom } from '@snippets/domain/id.js'
import { type FirstCreation, keyLifetimeMs, type RetryKey } from '@snippets/domain/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Collection, type Db, type Document, type Filter, MongoClientClosedError } from 'mongodb'
import { maxTimeMS } from '../connection/in-time.js'
import type { Log } from '../log.js'
import type { SnippetDocument } from './snippet-document.js'

/** A snippet that was created with a key carries it, so that one insert stores both. */
type KeyedDocument = SnippetDocument & Readonly<{ retry?: RetryKey }>

/** The key of a snippet that has been deleted. */
type LeftKey = Readonly<{ _id: string; id: bigint; created_at: Date; fingerprint: string }>

type Collections = Readonly<{ snippets: Collection<KeyedDocument>; leftKeys: Collection<LeftKey> }>

export type RetryKeys = Readonly<{
  /** Makes the indexes, and takes keys that have expired from their snippets. No key may be used before. */
  prepare: () => Promise<void>
  /** What was created with these keys, also a day and more ago. */
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, E.Either<Corrupt, FirstCreation>>>
  /** Takes a key that has expired from its snippet. */
  release: (key: string, createdAt: number) => Promise<unknown>
  /** Before a snippet is deleted, keeps its key. False when no snippet with a key matches. */
  keepKeyOf: (snippet: Filter<SnippetDocument>) => Promise<boolean>
}>

export const withoutKey = { retry: { $exists: false } } as const

export const retryKeys = (db: Db): RetryKeys => {
  // what was found cannot roll back after an election, so nobody is told of a creation that is lost
  const settled = { readConcern: { level: 'majority' } } as const
  const collections: Collections = {
    snippets: db.collection('snippets', settled),
    leftKeys: db.collection('retry_keys', settled),
  }
  let preparation: Promise<unknown> | undefined
  const prepare = async (): Promise<void> => {
    preparation ??= prepareOnce(collections).catch((error: unknown) => {
      preparation = undefined
      throw error
    })
    await preparation
  }
  return {
    prepare,
    find: keys => findFirst(collections, keys),
    release: (key, createdAt) => release(collections, { 'retry.key': key, created_at: new Date(createdAt) }),
    keepKeyOf: snippet => keepKeyOf(collections, snippet),
  }
}

/** A sharded collection refuses the unique index. All else works without. */
export const prepareKeys = async ({ prepare }: RetryKeys, log: Log): Promise<void> => {
  try {
    await prepare()
  } catch (error) {
    // the service stops
    if (error instanceof MongoClientClosedError) return
    log.warn({ reason: String(error) }, 'creations with an Idempotency-Key are unavailable')
  }
}

const release = ({ snippets }: Collections, filter: Filter<KeyedDocument>): Promise<unknown> =>
  snippets.updateMany(filter, { $unset: { retry: '' } })

const prepareOnce = async (collections: Collections): Promise<void> => {
  await createIndexes(collections)
  const lastExpired = new Date(Date.now() - keyLifetimeMs)
  await release(collections, { 'retry.key': { $gt: '' }, created_at: { $lte: lastExpired } })
}

/** A TTL index would delete a snippet with its key. In the other collection there are only keys. */
const createIndexes = ({ snippets, leftKeys }: Collections): Promise<unknown> =>
  Promise.all([
    snippets.createIndex({ 'retry.key': 1 }, { name: 'retry_key', unique: true, sparse: true }),
    leftKeys.createIndex({ created_at: 1 }, { name: 'expiry', expireAfterSeconds: keyLifetimeMs / 1000 }),
  ])

/** Snippets first: a delete keeps the key before it removes the snippet, so a key is always in one of the two. */
const findFirst = async (
  { snippets, leftKeys }: Collections,
  keys: readonly string[],
): Promise<ReadonlyMap<string, E.Either<Corrupt, FirstCreation>>> => {
  const projection = { created_at: 1, retry: 1 }
  const kept = await snippets.find({ 'retry.key': { $in: [...keys] } }, { projection, maxTimeMS }).toArray()
  const deleted = await leftKeys.find({ _id: { $in: [...keys] } }, { maxTimeMS }).toArray()
  return new Map([
    ...deleted.map(document => [document._id, firstCreation(document)] as const),
    ...kept.map(({ _id: id, created_at, retry }) => {
      const { key = '', fingerprint } = retry ?? {}
      return [key, firstCreation({ id, created_at, fingerprint })] as const
    }),
  ])
}

const firstCreation = ({ id, created_at, fingerprint }: Document): E.Either<Corrupt, FirstCreation> => {
  const valid = idFrom(typeof id === 'bigint' ? id : 0n)
  return O.isSome(valid) && created_at instanceof Date && typeof fingerprint === 'string'
    ? E.right({ id: valid.value, created_at: created_at.getTime(), fingerprint })
    : E.left(corrupt(new Error(`the key of snippet ${id} is malformed`)))
}

const keepKeyOf = async ({ snippets, leftKeys }: Collections, snippet: Filter<SnippetDocument>): Promise<boolean> => {
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
}

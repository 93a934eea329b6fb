import type { Log } from '@snippets/application/log.js'
import { redactError } from '@snippets/application/remote-storage/loggable-error.js'
import type { CreateIndexesOptions, Document, IndexDescription } from 'mongodb'
import { isBadValue, isMissingCollection, isServerError } from './rejections.js'

/** The part of a collection that creates indexes. */
type IndexedCollection = Readonly<{
  listIndexes: () => Readonly<{ toArray: () => Promise<readonly Document[]> }>
  createIndexes: (indexes: IndexDescription[], options?: CreateIndexesOptions) => Promise<unknown>
}>

/** An index build that takes longer is logged. */
const slowMs = 60_000

/**
 * Creates the missing indexes of a collection with one scan of its rows. If the database rejects some of them, creates
 * the others, logs each rejected index, and then throws.
 */
export const ensureIndexes = async (
  log: Log,
  collection: IndexedCollection,
  indexes: readonly IndexDescription[],
): Promise<void> => {
  const missing = await missingFrom(collection, indexes)
  if (missing.length === 0) return
  const timer = setTimeout(() => log.info({ indexes: missing.length }, 'still building indexes'), slowMs)
  try {
    await create(collection, missing).catch(error => {
      if (!isServerError(error)) throw error
      return createEach(log, collection, missing)
    })
  } finally {
    clearTimeout(timer)
  }
}

const createEach = async (
  log: Log,
  collection: IndexedCollection,
  indexes: readonly IndexDescription[],
): Promise<void> => {
  let failure: unknown
  for (const index of indexes)
    await create(collection, [index]).catch(error => {
      if (!isServerError(error)) throw error
      failure = error
      log.warn({ index: index.name, err: redactError(error) }, 'the database rejects an index; trying again in minutes')
    })
  if (failure !== undefined) throw failure
}

/** Creates the indexes. By default a build waits for every voting member, even if a member is down. */
const create = (collection: IndexedCollection, indexes: readonly IndexDescription[]): Promise<unknown> =>
  collection.createIndexes([...indexes], { commitQuorum: 'majority' }).catch(error => {
    // a standalone server rejects the option
    if (!isBadValue(error)) throw error
    return collection.createIndexes([...indexes])
  })

const missingFrom = async (collection: IndexedCollection, indexes: readonly IndexDescription[]) => {
  const found = await collection
    .listIndexes()
    .toArray()
    .catch(error => {
      if (!isMissingCollection(error)) throw error
      return []
    })
  const existing = new Set(found.map(textOf))
  return indexes.filter(index => !existing.has(textOf(index)))
}

/** Returns the keys and options of an index that affect its rows. The driver may read a number as a bigint. */
const textOf = ({ key, unique, sparse, expireAfterSeconds, partialFilterExpression, collation, hidden }: Document) =>
  JSON.stringify({ key, unique, sparse, expireAfterSeconds, partialFilterExpression, collation, hidden }, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  )

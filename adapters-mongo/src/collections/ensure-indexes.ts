import type { Log } from '@snippets/application/log.js'
import { redactError } from '@snippets/application/remote-storage/loggable-error.js'
import type { CreateIndexesOptions, IndexDescription } from 'mongodb'
import { isBadValue, isRejectedIndex } from './rejections.js'

/** The part of a collection that creates indexes. */
type IndexedCollection = Readonly<{
  createIndexes: (indexes: IndexDescription[], options?: CreateIndexesOptions) => Promise<unknown>
}>

/**
 * Creates the missing indexes of a collection with one scan of its rows. If the database rejects some of them, creates
 * the others, logs each rejected index, and then throws.
 */
export const ensureIndexes = (
  log: Log,
  collection: IndexedCollection,
  indexes: readonly IndexDescription[],
): Promise<unknown> =>
  create(collection, indexes).catch(error => {
    if (!isRejectedIndex(error)) throw error
    return createEach(log, collection, indexes)
  })

const createEach = async (
  log: Log,
  collection: IndexedCollection,
  indexes: readonly IndexDescription[],
): Promise<void> => {
  let rejection: unknown
  for (const index of indexes)
    await create(collection, [index]).catch(error => {
      if (!isRejectedIndex(error)) throw error
      rejection = error
      log.warn({ index: index.name, err: redactError(error) }, 'the database rejects an index; trying again in minutes')
    })
  if (rejection !== undefined) throw rejection
}

/** Creates the indexes. By default a build waits for every voting member, even if a member is down. */
const create = (collection: IndexedCollection, indexes: readonly IndexDescription[]): Promise<unknown> =>
  collection.createIndexes([...indexes], { commitQuorum: 'majority' }).catch(error => {
    // a standalone server rejects the option
    if (!isBadValue(error)) throw error
    return collection.createIndexes([...indexes])
  })
